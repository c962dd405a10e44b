
"use strict";
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const label = read("labels");
const data = read("data");

/** An element with attributes and children; texts are text, never markup. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") {
      for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    } else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

const byId = (id) => document.getElementById(id);
/** To four digits, half up on the integer of 1e-12 that a figure is: the very digits of the tables of the run. */
function four(figure) {
  const digits = Math.floor((Math.round(Math.abs(figure) * 1e12) + 5e7) / 1e8);
  return (figure < 0 && digits > 0 ? "-" : "") + (digits / 1e4).toFixed(4);
}
/** A label with its places filled: {0}, {1}. */
const filled = (text, ...values) => text.replace(/\{(\d+)\}/g, (_, place) => values[place]);
/** The order of values, those that are not known last. */
const byValue = (one, other) => (one === other ? 0 : one === null ? 1 : other === null ? -1 : one < other ? -1 : 1);

/** The end of a page's address that names its rows A and B. */
const rowsFragment = (a, b) => `#${new URLSearchParams({ a, b })}`;

/** Puts options into a select: pairs of value and text. */
function choices(select, pairs, chosen) {
  select.replaceChildren(...pairs.map(([value, text]) => element("option", { value, selected: value === chosen }, text)));
}

/** A name that is broken behind the signs that join its parts, before it is broken within one. */
const breakable = (name) => (name.match(/[^+(,=:>/]+[+(,=:>/]*|[+(,=:>/]+/g) ?? []).flatMap((part, place) => (place ? [element("wbr"), part] : [part]));

/**
 * A table whose columns can be sorted. A column: {title, cell(row) -> text or element, value(row) -> what is sorted by,
 * number, name, kind: its class, where it is none of these}.
 * `rowTitle(row)`: what shows under the pointer.
 * `sorted`: the place of the column it is sorted by at first, and whether downwards. `last(row)`: whether it stands below all others
 * however they are sorted.
 */
function table(columns, rows, { sorted = null, caption = null, first = 100, rowClass = () => null, rowTitle = () => null, last = () => false } = {}) {
  let [by, down] = sorted ?? [null, false];
  let shown = first;
  const holder = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption ?? columns[0].title });
  const compare = (one, other) => {
    if (last(one) !== last(other)) return last(one) ? 1 : -1;
    const values = [one, other].map(columns[by].value);
    return byValue(...values) * (down && !values.includes(null) ? -1 : 1);
  };
  const kindOf = (column) => column.kind ?? (column.number ? "number" : column.name ? "name" : null);
  const content = (column, cell) => (column.name && typeof cell === "string" ? breakable(cell) : [cell]);
  const head = (column, place) => {
    const sort = place === by ? (down ? "descending" : "ascending") : null;
    const turn = () => {
      [by, down] = [place, place === by ? !down : Boolean(column.number)];
      draw();
      holder.querySelectorAll("th button")[columns.slice(0, place).filter((other) => other.value).length].focus();
    };
    const title = column.value ? element("button", { type: "button", on: { click: turn } }, column.title) : column.title;
    return element("th", { scope: "col", class: kindOf(column), "aria-sort": sort }, title);
  };
  const line = (row) => element("tr", { class: rowClass(row), title: rowTitle(row) }, ...columns.map((column) =>
    element("td", { class: kindOf(column) }, ...content(column, column.cell(row)))));
  function draw() {
    const ordered = by === null ? rows : [...rows].sort(compare);
    const made = element("table", {}, caption ? element("caption", {}, caption) : null,
      element("thead", {}, element("tr", {}, ...columns.map(head))),
      element("tbody", {}, ...ordered.slice(0, shown).map(line)));
    const rest = rows.length - shown;
    const more = () => { shown += 200; draw(); };
    const button = rest > 0
      ? element("p", { class: "more" }, element("button", { type: "button", on: { click: more } }, filled(label.more, rest)))
      : null;
    holder.replaceChildren(...[made, button].filter((part) => part !== null));
  }
  draw();
  return holder;
}
