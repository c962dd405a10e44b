
const SIGNS = { chosen: "+", dropped: "\u2212", entered: "~", outside: "" };
const DEEPEST = 24;
const root = byId("nodes");
/** By place: the node's box, its line with its sign and what is read out for it, and the box of its children. */
const boxes = [];
/** By place: whether a text is chosen at the step that is shown. */
const chosen = data.nodes.map(() => false);
const is = data.nodes.map(([parent, what, isText, verdict, reason, figures]) => ({ parent, what, isText, verdict, reason, figures }));

function mark(place, verdict) {
  const { head, sign, spoken } = boxes[place];
  head.classList.remove("chosen", "dropped", "entered");
  if (verdict !== "outside") head.classList.add(verdict);
  sign.textContent = SIGNS[verdict];
  spoken.textContent = verdict === "outside" ? "" : `${label[`verdict_${verdict}`]}: `;
}

/** The nodes as boxes in boxes, from the first to the last: parents come before their children. */
function build() {
  const depths = [];
  is.forEach((node, place) => {
    depths[place] = node.parent < 0 ? 1 : depths[node.parent] + 1;
    const sign = element("span", { class: "sign", "aria-hidden": "true" });
    const spoken = element("span", { class: "spoken" });
    const head = element("div", { class: "head", role: "treeitem", tabindex: place === 0 ? "0" : "-1", "aria-level": depths[place], "data-place": place },
      sign, spoken, element("span", { class: "name" }, node.what), node.reason && !node.isText ? element("span", { class: "why" }, node.reason) : null);
    const deep = depths[place] > DEEPEST ? " deep" : "";
    const box = element("div", { class: `node ${node.isText ? "text-node" : "element"}${deep}`, role: "none" }, head);
    boxes[place] = { box, head, sign, spoken, children: null };
    if (node.parent < 0) root.append(box);
    else {
      const above = boxes[node.parent];
      if (above.children === null) above.box.append(above.children = element("div", { class: "children", role: "none" }));
      above.children.append(box);
    }
  });
  const decided = is.map((node) => node.verdict !== "outside");
  for (let place = is.length - 1; place >= 0; place--) {
    if (decided[place] && is[place].parent >= 0) decided[is[place].parent] = true;
    if (!decided[place]) boxes[place].box.classList.add("undecided");
    mark(place, is[place].verdict);
  }
}

const tip = byId("tip");
function showTip(place) {
  const { what, reason, figures, isText } = is[place];
  const rows = figures.map(([name, number]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, number)));
  tip.replaceChildren(element("p", {}, isText ? `\u201c${what.slice(0, 80)}\u201d` : what), reason ? element("p", {}, reason) : "",
    rows.length ? element("table", {}, element("tbody", {}, ...rows)) : "");
  tip.hidden = false;
  const { head } = boxes[place];
  head.setAttribute("aria-describedby", "tip");
  const around = head.getBoundingClientRect();
  const below = around.bottom + tip.offsetHeight + 8 < innerHeight;
  tip.style.top = `${Math.max(4, below ? around.bottom + 4 : around.top - tip.offsetHeight - 4)}px`;
  tip.style.left = `${Math.max(4, Math.min(around.left + 24, innerWidth - tip.offsetWidth - 8))}px`;
}
function hideTip() { tip.hidden = true; }

let focused = 0;
const isShown = (place) => boxes[place].head.offsetParent !== null;
function focus(place) {
  boxes[focused].head.tabIndex = -1;
  focused = place;
  boxes[place].head.tabIndex = 0;
  boxes[place].head.focus();
}
/** The next shown node from `place` in the direction of `by`. */
function next(place, by) {
  for (let at = place + by; at >= 0 && at < is.length; at += by) if (isShown(at)) return at;
  return place;
}
const places = (event) => { const head = event.target.closest?.(".head"); return head ? Number(head.dataset.place) : null; };
root.addEventListener("keydown", (event) => {
  const place = places(event);
  if (place === null) return;
  const to = { ArrowDown: () => next(place, 1), ArrowUp: () => next(place, -1), ArrowLeft: () => Math.max(0, is[place].parent),
    ArrowRight: () => next(place, 1), Home: () => next(-1, 1), End: () => next(is.length, -1) }[event.key];
  if (event.key === "Escape") hideTip();
  if (to) { event.preventDefault(); focus(to()); }
});
root.addEventListener("focusin", (event) => { const place = places(event); if (place !== null) showTip(place); });
root.addEventListener("focusout", hideTip);
root.addEventListener("mouseover", (event) => { const place = places(event); if (place !== null) showTip(place); });
root.addEventListener("mouseout", hideTip);
addEventListener("scroll", () => { if (!root.contains(document.activeElement)) hideTip(); }, { passive: true });

let sweep = null;
let at = -1;
/** Moves to a step by what changes on the way there. */
function moveTo(step) {
  const toggle = (place) => { chosen[place] = !chosen[place]; };
  while (at < step) sweep.steps[++at].changed.forEach(toggle);
  while (at > step) sweep.steps[at--].changed.forEach(toggle);
  const isOwn = at === sweep.current;
  document.body.classList.toggle("moved", !isOwn);
  is.forEach((node, place) => { if (node.isText) mark(place, chosen[place] ? "chosen" : isOwn && node.verdict === "dropped" ? "dropped" : "outside"); });
  const { values, score } = sweep.steps[at];
  const parts = [`${sweep.parameter} ${values}`, filled(label.step_of, at + 1, sweep.steps.length), filled(label.texts_chosen, chosen.filter(Boolean).length)];
  if (score) parts.push(`${label.precision} ${score[0]}  ${label.recall} ${score[1]}  F1 ${score[2]}`);
  parts.push(isOwn ? label.is_setting : label.is_not_setting, sweep.exact ? label.steps_exact : label.steps_grid);
  byId("readout").textContent = parts.join(" \u00b7 ");
  byId("step").value = at;
  byId("step").setAttribute("aria-valuetext", `${sweep.parameter} ${values}`);
}
function choose(place) {
  chosen.fill(false);
  [sweep, at] = [data.sweeps[place], -1];
  byId("step").max = sweep.steps.length - 1;
  moveTo(sweep.current);
}

build();
byId("facts").textContent = [data.dataset, data.score ? `${label.precision} ${data.score[0]}  ${label.recall} ${data.score[1]}  F1 ${data.score[2]}` : ""].filter(Boolean).join(" \u00b7 ");
byId("figures").append(...data.figures.map(([name, number]) => element("div", {}, element("dt", {}, name), element("dd", {}, number))));
byId("lists").append(...data.lists.flatMap(({ title, entries }) => [element("h3", {}, title), element("ol", { class: "entries" }, ...entries.map((entry) => element("li", {}, entry)))]));
if (data.left_out > 0) byId("left-out").textContent = filled(label.nodes_left_out, data.left_out);
byId("only-decided").addEventListener("input", (event) => {
  root.classList.toggle("only-decided", event.target.checked);
  if (is.length === 0 || isShown(focused)) return;
  // The one node that the Tab key reaches must be one that is shown.
  boxes[focused].head.tabIndex = -1;
  focused = next(focused, -1);
  boxes[focused].head.tabIndex = 0;
});
if (data.sweeps.length && is.length) {
  byId("moving").hidden = false;
  choices(byId("parameter"), data.sweeps.map(({ parameter }, place) => [String(place), parameter]), "0");
  byId("parameter").addEventListener("input", (event) => choose(Number(event.target.value)));
  byId("step").addEventListener("input", (event) => moveTo(Number(event.target.value)));
  byId("back").addEventListener("click", () => moveTo(sweep.current));
  choose(0);
}
