
const SPACE = "http://www.w3.org/2000/svg";
function shape(name, attributes = {}, ...children) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const INKS = { Precision: "var(--precision)", Recall: "var(--recall)", F1: "var(--f1)", Floor: "var(--floor)" };
// As in the SVG files: the first are none of those of precision and recall.
const FILLS = ["#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#0072b2", "#d55e00"];
const fillOf = (fill) => ("System" in fill ? FILLS[fill.System % FILLS.length] : ["#4d4d4d", "#808080", "#a6a6a6", "#cccccc"][fill.Floor % 4]);
const inkOf = (ink) => (typeof ink === "string" ? INKS[ink] : fillOf(ink.Of));
const nameOf = (ink) => (typeof ink === "string" ? { Precision: label.precision, Recall: label.recall, F1: "F1", Floor: label.floor }[ink] : "");

const FRAME = { width: 960, height: 420, left: 64, right: 120, top: 16, bottom: 56 };

/** Places on the picture from places on the axes. */
function scales(plot, frame) {
  const along = (axis, from, to) => (value) => from + ((value - axis.from) / ((axis.to - axis.from) || 1)) * (to - from);
  return {
    x: along(plot.x, frame.left, frame.width - frame.right),
    y: along(plot.y, frame.height - frame.bottom, frame.top),
  };
}

function axes(plot, frame, at) {
  const parts = [];
  const [bottom, right] = [frame.height - frame.bottom, frame.width - frame.right];
  for (const tick of plot.y.ticks) {
    if (!plot.y.bands) parts.push(shape("line", { class: "grid", x1: frame.left, x2: right, y1: at.y(tick.at), y2: at.y(tick.at) }));
    parts.push(shape("text", { x: frame.left - 8, y: at.y(tick.at) + 4, "text-anchor": "end" }, short(tick.text, frame.left / 7)));
  }
  const room = (right - frame.left) / Math.max(plot.x.ticks.length, 1);
  const step = Math.max(1, Math.ceil(36 / room));
  plot.x.ticks.forEach((tick, place) => {
    if (place % step !== 0 && !(plot.x.bands === "Names")) return;
    parts.push(shape("text", { x: at.x(tick.at), y: bottom + 18, "text-anchor": "middle" }, short(tick.text, Math.max(room * step / 7, 4))));
    if (tick.below) parts.push(shape("text", { class: "quiet", x: at.x(tick.at), y: bottom + 33, "text-anchor": "middle" }, short(tick.below, room / 7)));
  });
  parts.push(shape("line", { class: "axis", x1: frame.left, x2: right, y1: bottom, y2: bottom }));
  parts.push(shape("text", { class: "quiet", x: (frame.left + right) / 2, y: frame.height - 6, "text-anchor": "middle" }, plot.x.label));
  parts.push(shape("text", { class: "quiet", x: 14, y: (frame.top + bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(frame.top + bottom) / 2})` }, plot.y.label));
  return parts;
}

const short = (text, most) => (text.length > most ? text.slice(0, Math.max(1, Math.floor(most) - 1)) + "\u2026" : text);

/** A point's shape: precision a triangle, recall a square, else a circle, so that colour is not needed. */
function point(ink, x, y, size = 4) {
  const fill = inkOf(ink);
  if (ink === "Precision") return shape("path", { d: `M${x} ${y - size}L${x + size} ${y + size}L${x - size} ${y + size}Z`, fill });
  if (ink === "Recall") return shape("rect", { x: x - size, y: y - size, width: 2 * size, height: 2 * size, fill });
  return shape("circle", { cx: x, cy: y, r: size, fill });
}

/** The flat region's parts of the x axis, each wide enough to be seen. */
function drawSpans(plot, frame, at) {
  return (plot.flat?.spans ?? []).map(([from, to]) => {
    const more = Math.max(8 - (at.x(to) - at.x(from)), 0) / 2;
    return shape("rect", { class: "flat", x: at.x(from) - more, y: frame.top, width: at.x(to) - at.x(from) + 2 * more, height: frame.height - frame.bottom - frame.top });
  });
}

function drawCurves(plot, frame, at) {
  const parts = [];
  for (const height of plot.floors) {
    parts.push(shape("line", { x1: frame.left, x2: frame.width - frame.right, y1: at.y(height), y2: at.y(height), stroke: "var(--floor)", "stroke-dasharray": "2 3" }));
  }
  for (const { at: x, label: word } of plot.verticals) {
    parts.push(shape("line", { class: "axis", x1: at.x(x), x2: at.x(x), y1: frame.top, y2: frame.height - frame.bottom }));
    parts.push(shape("text", { class: "quiet", x: at.x(x) + 4, y: frame.top + 10 }, word));
  }
  for (const { ink, line, points } of plot.curves) {
    const corners = line.map(([x, y]) => `${at.x(x)},${at.y(y)}`).join(" ");
    const dash = { Precision: "6 3", Recall: "2 2" }[ink] ?? "none";
    if (corners) parts.push(shape("polyline", { points: corners, fill: "none", stroke: inkOf(ink), "stroke-width": ink === "F1" ? 2.5 : 1.5, "stroke-dasharray": dash }));
    for (const [x, y] of points) parts.push(point(ink, at.x(x), at.y(y), ink === "F1" ? 4 : 3));
  }
  for (const { ink, at: [x, y] } of plot.marks) {
    parts.push(shape("circle", { cx: at.x(x), cy: at.y(y), r: 5, fill: "none", stroke: inkOf(ink), "stroke-width": 2 }));
  }
  let last = -Infinity;
  for (const { ink, at: y, text } of [...plot.labels].sort((one, other) => other.at - one.at)) {
    const height = Math.max(at.y(y) + 4, last + 14);
    last = height;
    parts.push(shape("text", { x: frame.width - frame.right + 8, y: height }, short(text, frame.right / 7)));
    parts.push(point(ink, frame.width - frame.right + 2, height - 4, 2));
  }
  return parts;
}

/** From dark to light, as in the pictures of the run folder: colours that every eye orders. */
function viridis(share) {
  const stops = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const [one, other, part] = [stops[Math.floor(place)], stops[Math.ceil(place)], place % 1];
  return `rgb(${one.map((value, i) => Math.round(value + (other[i] - value) * part)).join(" ")})`;
}

const [BEST, DEFAULT] = ["\u2605", "\u25b2"];

function drawHeat(plot, frame, at) {
  const { cells, range: [least, most] } = plot.heat;
  const [width, height] = [at.x(1) - at.x(0), at.y(0) - at.y(1)];
  const coloured = cells.map(({ at: [x, y], value }) =>
    shape("rect", { x: at.x(x - 0.5), y: at.y(y + 0.5), width, height, fill: viridis((value - least) / ((most - least) || 1)) }));
  const signs = cells.filter(({ best, default: isDefault }) => best || isDefault).map(({ at: [x, y], best, default: isDefault }) =>
    shape("text", { class: "sign", x: at.x(x), y: at.y(y) + 4, "text-anchor": "middle" }, (best ? BEST : "") + (isDefault ? DEFAULT : "")));
  return [...coloured, ...outline(cells, at), ...signs];
}

/** A line where a cell of the flat region meets one that is not in it: black within white, to be seen on every colour. */
function outline(cells, at) {
  const flat = new Set(cells.filter((cell) => cell.flat).map((cell) => cell.at.join()));
  const sides = cells.filter((cell) => cell.flat).flatMap(({ at: [x, y] }) => [
    [[x - 1, y], [-0.5, -0.5, -0.5, 0.5]], [[x + 1, y], [0.5, -0.5, 0.5, 0.5]],
    [[x, y - 1], [-0.5, -0.5, 0.5, -0.5]], [[x, y + 1], [-0.5, 0.5, 0.5, 0.5]],
  ].filter(([beside]) => !flat.has(beside.join())).map(([, [x1, y1, x2, y2]]) => `M${at.x(x + x1)} ${at.y(y + y1)}L${at.x(x + x2)} ${at.y(y + y2)}`));
  if (sides.length === 0) return [];
  return [["#fff", 5], ["#000", 2]].map(([stroke, width]) =>
    shape("path", { class: "flat-cells", d: sides.join(""), fill: "none", stroke, "stroke-width": width, "stroke-linecap": "square" }));
}

function drawBars(plot, frame, at) {
  const places = Math.max(...plot.bars.map((bar) => bar.place)) + 1;
  const width = ((at.x(1) - at.x(0)) * 0.8) / places;
  return plot.bars.map(({ group, place, fill, height }) => {
    const top = at.y(Math.max(height, plot.y.from));
    return shape("rect", { x: at.x(group) + (place - places / 2) * width, y: top, width: Math.max(width - 1, 1), height: Math.max(at.y(plot.y.from) - top, 0.5), fill: fillOf(fill) });
  });
}

function drawStrips(plot, frame, at) {
  return plot.strips.flatMap(({ at: line, dots, quartiles: [low, middle, high], mean }) => {
    const y = at.y(line);
    const parts = dots.map(([value, weight]) => shape("circle", { cx: at.x(value), cy: y, r: Math.min(2 + Math.sqrt(weight), 8), fill: "var(--link)", "fill-opacity": 0.35 }));
    parts.push(shape("rect", { x: at.x(low), y: y - 6, width: Math.max(at.x(high) - at.x(low), 1), height: 12, fill: "none", stroke: "var(--text)" }));
    parts.push(shape("line", { x1: at.x(middle), x2: at.x(middle), y1: y - 6, y2: y + 6, stroke: "var(--text)" }));
    parts.push(point("F1", at.x(mean), y, 4));
    return parts;
  });
}

/** What stands at a place of the x axis, in words: the figures of the curves there. */
function reading(plot, x) {
  const nearest = plot.curves.flatMap((curve) => (curve.points.length ? curve.points : curve.line)).reduce(
    (best, [place]) => (best === null || Math.abs(place - x) < Math.abs(best - x) ? place : best), null);
  if (nearest === null) return "";
  const tick = plot.x.ticks.find((tick) => tick.at === nearest && Number.isNaN(Number(tick.text)));
  const figures = plot.curves.flatMap(({ ink, line, points }) => {
    const found = (points.length ? points : line).filter(([place]) => place === nearest).pop();
    return found ? [`${nameOf(ink)} ${four(found[1])}`] : [];
  });
  const isFlat = plot.flat?.spans.some(([from, to]) => from <= nearest && nearest <= to);
  return `${plot.x.label} ${tick ? tick.text : +nearest.toFixed(6)}: ${figures.join(", ")}${isFlat ? `; ${label.flat_here}` : ""}`;
}

/** The places of a plot that a reader steps through. */
function stops(plot) {
  const places = plot.curves.flatMap((curve) => (curve.points.length ? curve.points : curve.line).map(([x]) => x));
  return [...new Set(places)].sort((one, other) => one - other);
}

/** What stands before an entry of the key; null where the picture here has no such sign. */
function sample(sign) {
  if (sign.Ink) return typeof sign.Ink === "string" ? point(sign.Ink, 6, 6, 4) : square(fillOf(sign.Ink.Of));
  if (sign.Fill) return square(fillOf(sign.Fill));
  if (sign === "FlatSpan") return shape("rect", { class: "flat", x: 0, y: 0, width: 12, height: 12 });
  if (sign === "FlatCells") return shape("rect", { x: 1, y: 1, width: 10, height: 10, fill: "none", stroke: "var(--text)", "stroke-width": 2 });
  const letter = { Best: BEST, Default: DEFAULT }[sign];
  return letter ? shape("text", { x: 6, y: 11, "text-anchor": "middle" }, letter) : null;
}

const square = (fill) => shape("rect", { x: 1, y: 1, width: 10, height: 10, fill });

/** Entries that every figure has are in the report's language. */
function keyText(plot, { sign, text }) {
  if (sign === "Best") return label.key_best;
  if (sign === "Default") return label.key_default;
  if (sign !== "FlatSpan" && sign !== "FlatCells") return text;
  return filled(plot.flat.tested ? label.key_flat : label.key_near, plot.flat.flat, plot.flat.of);
}

/** Links to a figure's files. */
const files = (stem) => element("span", {}, " ", ...["svg", "csv"].flatMap((kind) => [element("a", { href: `figures/${encodeURIComponent(stem)}.${kind}` }, kind.toUpperCase()), " "]));

/** A figure's notes, and links to its files. */
const caption = (plot, stem) => element("figcaption", {}, ...plot.notes.flatMap((note) => [`${note.hollow ? "\u25cb " : ""}${note.text}`, element("br")]), files(stem));

function figure({ stem, plot }) {
  const lines = plot.strips.length || plot.heat ? plot.y.ticks.length * 26 + 90 : FRAME.height;
  const longest = Math.max(0, ...plot.y.ticks.map((tick) => tick.text.length));
  const frame = { ...FRAME, height: Math.max(lines, 200), left: Math.min(64 + Math.max(0, longest - 6) * 7, 300) };
  const at = scales(plot, frame);
  const readout = element("p", { class: "readout", "aria-live": "polite" });
  const svg = shape("svg", { viewBox: `0 0 ${frame.width} ${frame.height}`, role: "img", "aria-label": `${plot.title}. ${plot.subtitle}` });
  svg.append(...(plot.heat ? drawHeat(plot, frame, at) : []), ...drawSpans(plot, frame, at), ...axes(plot, frame, at), ...drawBars(plot, frame, at),
    ...drawStrips(plot, frame, at), ...drawCurves(plot, frame, at));
  if (plot.curves.length) follow(plot, frame, at, svg, readout);
  else if (plot.heat) followCells(plot, frame, svg, readout);
  const keys = plot.key.map((key) => {
    const drawn = sample(key.sign);
    if (drawn === null) return null;
    const picture = shape("svg", { class: "sample", viewBox: "0 0 12 12", width: "12", height: "12", "aria-hidden": "true" }, drawn);
    return element("span", { class: "key" }, picture, ` ${keyText(plot, key)}  `);
  }).filter((key) => key !== null);
  return element("figure", {}, element("h3", {}, plot.title, element("span", { class: "quiet" }, ` ${plot.subtitle}`)),
    element("p", { class: "quiet" }, ...keys), svg, readout,
    caption(plot, stem));
}

/** Exact figures under the pointer, and by the arrow keys. */
function follow(plot, frame, at, svg, readout) {
  const places = stops(plot);
  if (places.length === 0) return;
  const line = shape("line", { class: "axis", y1: frame.top, y2: frame.height - frame.bottom, x1: -9, x2: -9 });
  svg.append(line);
  svg.setAttribute("tabindex", "0");
  let place = 0;
  const show = (next) => {
    place = Math.min(Math.max(next, 0), places.length - 1);
    line.setAttribute("x1", at.x(places[place]));
    line.setAttribute("x2", at.x(places[place]));
    readout.textContent = reading(plot, places[place]);
  };
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * frame.width;
    const distance = (place) => Math.abs(at.x(places[place]) - x);
    show(places.reduce((best, _, i) => (distance(i) < distance(best) ? i : best), 0));
  });
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    show(place + step);
  });
  svg.addEventListener("focus", () => show(place));
}

/** The same for the cells of a grid. */
function followCells(plot, frame, svg, readout) {
  const at = scales(plot, frame);
  const tell = (x, y) => {
    const cell = plot.heat.cells.find(({ at: [column, line] }) => column === x && line === y);
    if (!cell) return;
    const flat = cell.flat && plot.flat.tested ? `; ${label.flat_here}` : "";
    readout.textContent = `${plot.x.label} ${plot.x.ticks[x].text}, ${plot.y.label} ${plot.y.ticks[y].text}: ${plot.heat.label} ${four(cell.value)}${flat}`;
  };
  let [x, y] = [0, 0];
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const [left, top] = [((event.clientX - box.left) / box.width) * frame.width, ((event.clientY - box.top) / box.height) * frame.height];
    x = Math.round((left - at.x(0)) / (at.x(1) - at.x(0)));
    y = Math.round((top - at.y(0)) / (at.y(1) - at.y(0)));
    tell(x, y);
  });
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!step) return;
    event.preventDefault();
    x = Math.min(Math.max(x + step[0], 0), plot.x.ticks.length - 1);
    y = Math.min(Math.max(y + step[1], 0), plot.y.ticks.length - 1);
    tell(x, y);
  });
}

/** The figures of a row that is a point, in words, by what the axis to the right is. */
const TOLD = {
  Recall: ({ precision, recall, f1 }) => `${label.precision} ${four(precision)}, ${label.recall} ${four(recall)}, F1 ${four(f1)}`,
  Time: ({ milliseconds, f1 }) => `${milliseconds} ms, F1 ${four(f1)}`,
};

/** A row's algorithm, with its mark where it was made with gold. */
const markedName = ({ algorithm, bound }) => algorithm + (bound ? ` (${{ bound: label.bound, learned: label.learned }[bound]})` : "");

/** Names beside their points, each moved up or down past those that are there already; bold of those on the front. */
function names(dots, frame, at) {
  const LETTER = 7, LINE = 14;
  const taken = [];
  return dots.map((dot) => {
    const [x, y] = dot.at;
    const [left, top, text] = [at.x(x), at.y(y) - 6, short(markedName(dot), 24)];
    const isLeft = left > frame.width - 160;
    const from = isLeft ? left - 9 - text.length * LETTER : left + 9;
    const meets = (place) => taken.some(([begin, end, height]) => begin < from + text.length * LETTER && from < end && Math.abs(height - place) < LINE);
    const steps = Array.from({ length: 12 }, (_, step) => [step, -step]).flat();
    const place = top + LINE * (steps.find((step) => !meets(top + step * LINE)) ?? 0);
    taken.push([from, from + text.length * LETTER, place]);
    const weight = dot.is_on_front ? "bold" : "normal";
    return shape("text", { x: isLeft ? left - 9 : left + 9, y: place, "text-anchor": isLeft ? "end" : "start", "font-weight": weight }, text);
  });
}

/** Rows as points; their figures show under the pointer, and by the arrow keys. */
function scatter({ stem, plot }) {
  const { dataset, against } = plot.scatter;
  const { rows } = data.datasets.find(({ name }) => name === dataset);
  const dots = plot.scatter.dots.map((dot) => ({ ...rows[dot.row], ...dot }));
  const frame = { ...FRAME, height: 520, width: 720, right: 40 };
  const at = scales(plot, frame);
  const svg = shape("svg", { viewBox: `0 0 ${frame.width} ${frame.height}`, role: "img", "aria-label": plot.title, class: "scatter", tabindex: "0" });
  svg.append(...axes(plot, frame, at), ...(against === "Recall" ? equalF1(plot, at) : []));
  if (plot.scatter.front.length) {
    const corners = plot.scatter.front.map(([right, up]) => `${at.x(right)},${at.y(up)}`).join(" ");
    svg.append(shape("polyline", { class: "front", points: corners, fill: "none", stroke: "var(--floor)" }));
  }
  const readout = element("p", { class: "readout", "aria-live": "polite" });
  const tell = (dot) => { readout.textContent = `${rowName(dot)}: ${TOLD[against](dot)}`; };
  // Small ones and grey ones lie below.
  const height = (dot) => 2 * dot.main + !("Floor" in dot.fill);
  for (const dot of [...dots].sort((one, other) => height(one) - height(other))) {
    const [left, top] = [at.x(dot.at[0]), at.y(dot.at[1])];
    const fill = "Floor" in dot.fill ? "var(--floor)" : fillOf(dot.fill);
    const drawn = shape("circle", { cx: left, cy: top, r: dot.main ? 6 : 3, fill, "fill-opacity": dot.main ? 1 : 0.5 });
    drawn.addEventListener("pointerenter", () => tell(dot));
    svg.append(drawn);
  }
  svg.append(...names(dots.filter((dot) => dot.named), frame, at));
  const byF1 = [...dots].sort((one, other) => other.f1 - one.f1);
  let place = -1;
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    place = Math.min(Math.max(place + step, 0), byF1.length - 1);
    tell(byF1[place]);
  });
  return element("figure", {}, element("h3", {}, plot.title, element("span", { class: "quiet" }, ` ${plot.subtitle}`)), svg, readout, caption(plot, stem));
}

/** Curves of equal F1 over recall and precision. */
function equalF1(plot, at) {
  const from = plot.x.from;
  return plot.x.ticks.slice(1, -1).flatMap(({ at: f1, text }) => {
    const places = Array.from({ length: 101 }, (_, i) => from + ((1 - from) * i) / 100).map((r) => [r, (f1 * r) / (2 * r - f1)]);
    const inside = places.filter(([r, p]) => 2 * r > f1 && p >= from && p <= 1);
    if (inside.length === 0) return [];
    const line = shape("polyline", { points: inside.map(([r, p]) => `${at.x(r)},${at.y(p)}`).join(" "), fill: "none", class: "grid", "stroke-dasharray": "2 4" });
    return [line, shape("text", { class: "quiet", x: at.x(1) + 2, y: at.y(inside[inside.length - 1][1]) + 4 }, text)];
  });
}
