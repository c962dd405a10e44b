
const NONE = "none";
const rowScores = (row) => (row.score ? row.score.map((score) => four(score / 10000)) : null);

/** Words and the white space before each: Han characters and marks one by one, as `carat diff` has them. */
function words(text) {
  const found = [];
  const pattern = /(\s*)(\p{Script=Han}|[\p{L}\p{N}\p{M}_]+(?:['\u2019.,:](?=[\p{L}\p{N}])[\p{L}\p{N}\p{M}_]+)*|[^\s])/gu;
  // White space without a word behind it would be tried from each of its places.
  for (const [, space, word] of text.trimEnd().matchAll(pattern)) found.push({ space, word });
  return found;
}

/** How many of one's first words have a common subsequence with other's, for each number of other's words. */
function lengths(one, other) {
  let row = new Uint32Array(other.length + 1);
  for (const word of one) {
    let diagonal = 0;
    for (let j = 1; j <= other.length; j++) {
      const above = row[j];
      row[j] = word === other[j - 1] ? diagonal + 1 : Math.max(above, row[j - 1]);
      diagonal = above;
    }
  }
  return row;
}

/** Pairs of equal words of a longest common subsequence, after Hirschberg; exact, as the scores are. */
function alignment(one, other) {
  const pairs = [];
  const open = [[0, one.length, 0, other.length]];
  while (open.length) {
    let [a, b, c, d] = open.pop();
    while (a < b && c < d && one[a] === other[c]) pairs.push([a++, c++]);
    let ends = 0;
    while (a < b && c < d && one[b - 1] === other[d - 1]) { b--; d--; ends++; }
    if (ends) open.push([b, b + ends, d, d + ends]);
    if (a === b || c === d) continue;
    if (b - a === 1) {
      const found = other.indexOf(one[a], c);
      if (found >= 0 && found < d) pairs.push([a, found]);
      continue;
    }
    const half = (a + b) >> 1;
    const forward = lengths(one.slice(a, half), other.slice(c, d));
    const backward = lengths(one.slice(half, b).reverse(), other.slice(c, d).reverse());
    let cut = 0;
    for (let j = 0; j <= d - c; j++) if (forward[j] + backward[d - c - j] > forward[cut] + backward[d - c - cut]) cut = j;
    open.push([half, b, c + cut, d], [a, half, c, c + cut]);
  }
  return pairs;
}

/** Words as numbers, for comparing them fast. */
function numbered(...texts) {
  const numbers = new Map();
  return texts.map((text) => text.map(({ word }) => numbers.get(word) ?? (numbers.set(word, numbers.size), numbers.size - 1)));
}

/** Lines of pieces {side, text}: what both have, what the gold alone has (del), the extraction alone (ins). */
function laidOver(gold, extraction) {
  const lines = [[]];
  const push = (side, word, space) => {
    let line = lines[lines.length - 1];
    const isOf = (piece) => side === "both" || piece.side === "both" || piece.side === side;
    if (space.includes("\n") && line.some(isOf)) lines.push(line = []);
    const last = line[line.length - 1];
    const gap = space !== "" && !space.includes("\n") ? " " : "";
    if (last?.side === side) last.text += gap + word;
    else {
      if (last?.side === "both") last.text += gap;
      line.push({ side, text: (last && side === "both" ? gap : "") + word });
    }
  };
  let [i, j] = [0, 0];
  const upTo = (a, b) => {
    for (; i < a; i++) push("missing", gold[i].word, gold[i].space);
    for (; j < b; j++) push("excess", extraction[j].word, extraction[j].space);
  };
  for (const [a, b] of alignment(...numbered(gold, extraction))) {
    upTo(a, b);
    push("both", gold[a].word, extraction[b].space.includes("\n") || gold[a].space === "" ? extraction[b].space : gold[a].space);
    [i, j] = [a + 1, b + 1];
  }
  upTo(gold.length, extraction.length);
  return lines.filter((line) => line.length);
}

const whole = (numbers) => numbers.map((number) => data.lines[number]).join("\n");

function paragraphs(lines) {
  const only = byId("only-differences").checked;
  const made = [];
  let skipped = 0;
  const skip = () => { if (skipped) made.push(element("p", { class: "skipped" }, filled(label.skipped, skipped))); skipped = 0; };
  for (const line of lines) {
    if (only && line.every((piece) => piece.side === "both")) { skipped++; continue; }
    skip();
    made.push(element("p", {}, ...line.map(({ side, text }) => (side === "both" ? text : element(side === "missing" ? "del" : "ins", {}, text)))));
  }
  skip();
  return made;
}

/** So many pairs of words are compared before a reader would wait in vain. */
const MOST_PAIRS = 5e8;

/** Whether two texts, without what they begin and end with alike, are short enough to be aligned. */
function canAlign(gold, extraction) {
  const least = Math.min(gold.length, extraction.length);
  let [before, behind] = [0, 0];
  while (before < least && gold[before].word === extraction[before].word) before++;
  const left = least - before;
  while (behind < left && gold[gold.length - 1 - behind].word === extraction[extraction.length - 1 - behind].word) behind++;
  return (gold.length - before - behind) * (extraction.length - before - behind) <= MOST_PAIRS;
}

/** Why a text is not here. */
const unshown = data.texts_stored ? label.too_long : label.no_texts;

function panel(value) {
  if (value === NONE) return null;
  const row = data.rows[Number(value)];
  const scores = rowScores(row);
  const counts = row.counts ? filled(label.counts, ...row.counts) : "";
  const head = [element("h3", {}, row.name),
    element("p", { class: "quiet" }, scores ? `${label.precision} ${scores[0]}  ${label.recall} ${scores[1]}  F1 ${scores[2]}  ${counts}` : row.status === "not_run" ? label.not_run : row.status)];
  let body;
  if (row.text === null) body = [element("p", {}, row.reason ?? (row.status === "ok" ? unshown : row.status))];
  else if (data.gold === null) body = [element("p", {}, unshown)];
  else {
    const [gold, extraction] = [words(whole(data.gold)), words(whole(data.texts[row.text]))];
    body = canAlign(gold, extraction) ? paragraphs(laidOver(gold, extraction)) : [element("p", {}, label.too_long)];
  }
  return element("article", { class: "text", lang: data.language || null }, ...head, ...body);
}

/** Two rows on a page without gold: what each has beyond the other, in one text or in two columns. */
function comparedPanels() {
  const [one, other] = ["row-a", "row-b"].map((id) => Number(byId(id).value));
  const [first, last] = [Math.min(one, other), Math.max(one, other)];
  const f1 = one === other ? 10000 : data.compared.f1[first][last - first - 1];
  const [a, b] = [data.rows[one], data.rows[other]];
  const head = [element("h3", {}, `A: ${a.name} \u00b7 B: ${b.name}`),
    element("p", { class: "quiet" }, f1 === null ? "" : `F1 ${four(f1 / 10000)}`)];
  const without = [a, b].find((row) => row.text === null);
  if (without) return [element("article", { class: "text" }, ...head, element("p", {}, `${without.name}: ${without.reason ?? unshown}`))];
  const [left, right] = [a, b].map((row) => words(whole(data.texts[row.text])));
  const article = (...content) => element("article", { class: "text", lang: data.language || null }, ...content);
  if (!canAlign(left, right)) return [article(...head, element("p", {}, label.too_long))];
  const lines = laidOver(left, right);
  if (!byId("two-columns").checked) return [article(...head, ...paragraphs(lines))];
  return [["A", a, "missing"], ["B", b, "excess"]].map(([sign, row, side]) => {
    const own = lines.map((line) => line.filter((piece) => piece.side === "both" || piece.side === side)).filter((line) => line.length);
    return article(element("h3", {}, `${sign}: ${row.name}`), head[1].cloneNode(true), ...paragraphs(own));
  });
}

function showTexts() {
  if (data.compared) { byId("texts").replaceChildren(...comparedPanels()); return; }
  const panels = ["row-a", "row-b"].map((id) => panel(byId(id).value));
  byId("texts").replaceChildren(...panels.filter((made) => made !== null));
}

/** Leads to the pages beside this one with the rows that are chosen here. */
function linkNeighbours() {
  const [a, b] = ["row-a", "row-b"].map((id) => data.rows[byId(id).value]?.name ?? "");
  data.neighbours.forEach((file, place) => {
    const link = byId(["before", "after"][place]);
    if (file) { link.href = file + rowsFragment(a, b); link.hidden = false; }
  });
}

function showChoice() {
  showTexts();
  linkNeighbours();
}

function showRows() {
  const figure = (place, title) => ({ title, number: true, value: (row) => row.score?.[place] ?? null, cell: (row) => rowScores(row)?.[place] ?? "" });
  const show = (id, row) => element("button", { type: "button", "aria-label": `${id === "row-a" ? "A" : "B"}: ${row.name}`,
    on: { click: () => { byId(id).value = String(data.rows.indexOf(row)); showChoice(); byId("texts-title").scrollIntoView(); } } }, id === "row-a" ? "A" : "B");
  const columns = [
    { title: label.show, kind: "signs", cell: (row) => element("span", {}, show("row-a", row), " ", show("row-b", row)) },
    { title: label.algorithm, name: true, value: (row) => row.name, cell: (row) => row.name },
    figure(0, label.precision), figure(1, label.recall), figure(2, "F1"),
    { title: label.status, value: (row) => row.status, cell: (row) => (row.status === "ok" ? "" : row.status) },
  ];
  byId("rows-table").replaceChildren(table(columns, data.rows, { sorted: [4, true], caption: data.id, last: (row) => row.bound }));
}

/** The rows to show at first: the best and the best of another name. */
function first() {
  const ranked = data.rows.map((row, place) => [row.score?.[2] ?? -1, place]).filter(([, place]) => !data.rows[place].bound);
  const order = ranked.sort((one, other) => other[0] - one[0]);
  const [best] = order;
  const family = (place) => data.rows[place].name.split(":")[0];
  const other = order.find(([, place]) => best && family(place) !== family(best[1]));
  return [best ? String(best[1]) : NONE, other ? String(other[1]) : NONE];
}

/** The row that the address names as A or B, if this page has it. */
function named(sign, otherwise) {
  const name = new URLSearchParams(location.hash.slice(1)).get(sign);
  if (name === "") return NONE;
  const place = data.rows.findIndex((row) => row.name === name);
  return place < 0 ? otherwise : String(place);
}

const names = data.rows.map((row, place) => [String(place), row.name]);
const [firstA, firstB] = data.compared ? (data.compared.least ?? [0, 1]).map(String) : first();
const [a, b] = [named("a", firstA), named("b", firstB)];
choices(byId("row-a"), names, a);
choices(byId("row-b"), data.compared ? names : [[NONE, label.no_row], ...names], b);
if (data.compared) {
  document.querySelector(".legend").replaceChildren(element("del", {}, label.in_a), " ", element("ins", {}, label.in_b));
  byId("rows-title").parentElement.hidden = true;
  byId("texts-title").textContent = label.texts_of_two;
  byId("columns").hidden = false;
}
["row-a", "row-b", "only-differences", "two-columns"].forEach((id) => byId(id).addEventListener("input", showChoice));
if (data.to_gold) {
  byId("gold-command").textContent = data.to_gold;
  byId("to-gold").hidden = false;
}
const facts = data.facts ?? {};
byId("facts").textContent = [data.dataset, data.site, data.language, data.kind, facts.encoding,
  facts.nodes ? filled(label.nodes, facts.nodes, facts.depth) : "", facts.replaced ? filled(label.replaced, facts.replaced) : "",
  facts.text ? filled(label.sizes, facts.text, facts.link, facts.gold) : ""].filter(Boolean).join(" \u00b7 ");
showChoice();
if (!data.compared) showRows();
