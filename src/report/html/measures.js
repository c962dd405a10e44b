"use strict";
(() => {
  const { header, folders, lines, sentences } = data;
  /** The columns before those of measures: the dataset and the row. */
  const NAMES = 2;
  const title = (text, column) => {
    const folder = folders[column - NAMES];
    return folder === undefined ? text : element("a", { href: `${encodeURIComponent(folder)}/index.html` }, text);
  };
  const head = header.map((text, column) => element("th", { class: column < NAMES ? null : "number" }, title(text, column)));
  const cell = (text, column) => element("td", { class: column < NAMES ? "name" : "number" }, text);
  const body = lines.map((line) => element("tr", {}, ...line.map(cell)));
  byId("table").append(element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)));
  byId("notes").append(...sentences.map((sentence) => element("li", {}, sentence)));
})();
