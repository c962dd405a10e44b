
/** The value of an axis at a place of the picture. */
function valueAt({ values: [from, to], places: [low, high] }, place) {
  return from + ((place - low) / ((high - low) || 1)) * (to - from);
}

/** The place in the picture of a value of an axis. */
function placeOf({ values: [from, to], places: [low, high] }, value) {
  return low + ((to > from ? (value - from) / (to - from) : 0.5)) * (high - low);
}

/** A row's algorithm, with its mark where it was made with gold. */
const markedName = ({ algorithm, bound }) =>
  (bound ? filled(label.marked, algorithm, { bound: label.bound, learned: label.learned, rendered: label.rendered }[bound]) : algorithm);

/** Where a pointer is in a figure's picture, in its units. */
function pointed(svg, places, event) {
  const box = svg.getBoundingClientRect();
  return [((event.clientX - box.left) / box.width) * places.width, ((event.clientY - box.top) / box.height) * places.height];
}

/** By the arrow keys a reader goes from one thing to the next. */
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };

/** Lets a reader step through `count` things, each told by `show`. */
function steps(figure, count, show) {
  let place = -1;
  figure.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (step === undefined || count === 0) return;
    event.preventDefault();
    place = Math.min(Math.max(place + step, 0), count - 1);
    show(place);
  });
}

/** What stands at a place of the x axis, in words: the values of the curves there. */
function reading(figure, x) {
  const values = figure.curves.flatMap(({ name, points }) => {
    const found = points.filter(([place]) => place === x).pop();
    return found ? [`${name} ${four(found[1])}`] : [];
  });
  const isFlat = figure.flat.some(([from, to]) => from <= x && x <= to);
  return `${figure.x} ${figure.words[x] ?? +x.toFixed(6)}${label.colon}${values.join(", ")}${isFlat ? `; ${label.flat_here}` : ""}`;
}

/** The values of curves under the pointer. */
function followCurves(element, svg, figure, tell) {
  const places = [...new Set(figure.curves.flatMap(({ points }) => points.map(([x]) => x)))].sort((one, other) => one - other);
  if (places.length === 0) return;
  // The drawing has units of its own.
  const scale = svg.viewBox.baseVal.width / figure.places.width;
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  const show = (place) => {
    const x = placeOf(figure.places.x, places[place]) * scale;
    for (const [name, value] of Object.entries({ class: "pointer", x1: x, x2: x, y1: figure.places.top * scale, y2: figure.places.bottom * scale })) line.setAttribute(name, value);
    svg.append(line);
    tell(reading(figure, places[place]));
  };
  svg.addEventListener("pointermove", (event) => {
    const x = valueAt(figure.places.x, pointed(svg, figure.places, event)[0]);
    const distance = (place) => Math.abs(places[place] - x);
    show(places.reduce((best, _, i) => (distance(i) < distance(best) ? i : best), 0));
  });
  steps(element, places.length, show);
}

/** The value of the cell under the pointer. */
function followCells(element, svg, figure, tell) {
  const { columns, lines, cells, label: name } = figure.cells;
  const show = ([x, y, value, flat]) =>
    tell(`${figure.x} ${columns[x]}${figure.y || lines.length ? `, ${figure.y} ${lines[y]}` : ""}${label.colon}${name} ${four(value)}${flat ? `; ${label.flat_here}` : ""}`);
  svg.addEventListener("pointermove", (event) => {
    const [left, top] = pointed(svg, figure.places, event);
    const [x, y] = [Math.round(valueAt(figure.places.x, left)), Math.round(valueAt(figure.places.y, top))];
    const cell = cells.find(([column, line]) => column === x && line === y);
    if (cell) show(cell);
  });
  steps(element, cells.length, (place) => show(cells[place]));
}

/** A row's figures in words. */
function rowReading(row, milliseconds) {
  const time = milliseconds === undefined ? "" : `, ${milliseconds} ms`;
  return `${rowName(row)}${label.colon}${label.precision} ${four(row.precision)}, ${label.recall} ${four(row.recall)}, F1 ${four(row.f1)}${time}`;
}

/** The row under the pointer: what it is called, and where else it is. */
function followRows(element, svg, figure, tell) {
  const groups = [...svg.querySelectorAll("g[data-row]")];
  const { rows } = data.datasets.find(({ name }) => name === figure.dataset);
  const show = (number) => {
    tell(rowReading(rows[number], figure.milliseconds[number]));
    pointAt(figure.dataset, number);
  };
  for (const group of groups) {
    group.addEventListener("pointerenter", () => show(Number(group.dataset.row)));
    group.addEventListener("pointerleave", () => pointAt(figure.dataset, null));
  }
  const byF1 = groups.map((group) => Number(group.dataset.row)).sort((one, other) => rows[other].f1 - rows[one].f1);
  steps(element, byF1.length, (place) => show(byF1[place]));
  element.addEventListener("blur", () => pointAt(figure.dataset, null));
}

/** The bar under the pointer: whose it is, of what, and its height. */
function followBars(element, svg, figure, tell) {
  const { groups, bars } = figure.bars;
  const { rows } = data.datasets.find(({ name }) => name === figure.dataset);
  const show = ([row, group, height]) => {
    tell(`${rowName(rows[row])}, ${groups[group][1]}${label.colon}${figure.y} ${four(height)}`);
    pointAt(figure.dataset, row);
  };
  for (const drawn of svg.querySelectorAll("g[data-row]")) {
    const own = bars.filter(([row]) => row === Number(drawn.dataset.row));
    drawn.addEventListener("pointermove", (event) => {
      const x = valueAt(figure.places.x, pointed(svg, figure.places, event)[0]);
      const distance = ([, group]) => Math.abs(groups[group][0] - x);
      show(own.reduce((best, bar) => (distance(bar) < distance(best) ? bar : best)));
    });
    drawn.addEventListener("pointerleave", () => pointAt(figure.dataset, null));
  }
  // As they stand, from left to right.
  const ordered = [...bars].sort(([, one], [, other]) => one - other);
  steps(element, ordered.length, (place) => show(ordered[place]));
  element.addEventListener("blur", () => pointAt(figure.dataset, null));
}

/** The groups of a dataset's rows, in all figures. */
const groupsOf = (name) => drawnFigures.filter(({ figure }) => figure.dataset === name).flatMap(({ svg }) => [...svg.querySelectorAll("g[data-row]")]);

/** Fades every row of a dataset but one; none with `null`. */
function pointAt(name, number) {
  for (const group of groupsOf(name)) group.classList.toggle("faded", number !== null && Number(group.dataset.row) !== number);
}

/** Hides the rows of a dataset that are not wanted. */
function hideRows(name, isWanted) {
  for (const group of groupsOf(name)) group.classList.toggle("hidden", !isWanted(Number(group.dataset.row)));
}

/** Lets a figure on a screen that is narrower than its words can be read at be shown large, where it scrolls. */
function tellWidth(figure) {
  const READABLE = 44;
  const picture = figure.querySelector(".picture");
  const told = element("span", {});
  const turn = element("button", { type: "button", on: { click: () => { figure.classList.toggle("large"); show(); } } });
  const hint = element("p", { class: "wide quiet" }, told, " ", turn);
  picture.before(hint);
  function show() {
    const isLarge = figure.classList.contains("large");
    hint.hidden = picture.clientWidth >= READABLE * parseFloat(getComputedStyle(document.documentElement).fontSize);
    told.textContent = isLarge ? label.wide_figure : "";
    turn.textContent = isLarge ? label.show_whole : label.show_large;
  }
  new ResizeObserver(show).observe(picture);
  show();
}

/** Every figure with its picture. */
const drawnFigures = [...document.querySelectorAll("#figures figure")].map((element, place) => ({
  element, svg: element.querySelector("svg"), figure: data.figures[place],
}));

function followFigures() {
  for (const { element, svg, figure } of drawnFigures) {
    svg.setAttribute("aria-hidden", "true");
    tellWidth(element);
    const readout = element.querySelector(".readout");
    const tell = (text) => { readout.textContent = text; };
    if (figure.cells) followCells(element, svg, figure, tell);
    else if (figure.curves.length) followCurves(element, svg, figure, tell);
    else if (figure.bars) followBars(element, svg, figure, tell);
    else if (figure.dataset) followRows(element, svg, figure, tell);
  }
}

/** The figures of a dataset, and those of none. */
function showFigures(name) {
  for (const { element, figure } of drawnFigures) element.hidden = figure.dataset !== null && figure.dataset !== name;
}
