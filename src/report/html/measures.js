"use strict";
(() => {
  const { measures, folders, overall, lines, sentences } = JSON.parse(document.getElementById("data").textContent);
  const element = (name, text, parent) => {
    const made = document.createElement(name);
    made.textContent = text;
    parent.append(made);
    return made;
  };
  const table = element("table", "", document.getElementById("table"));
  const head = element("tr", "", element("thead", "", table));
  element("th", "dataset", head);
  element("th", "row", head);
  measures.forEach((measure, place) => {
    const cell = element("th", "", head);
    cell.className = "number";
    element("a", measure, cell).href = `${encodeURIComponent(folders[place])}/index.html`;
  });
  if (overall) element("th", overall, head).className = "number";
  const body = element("tbody", "", table);
  for (const line of lines) {
    const row = element("tr", "", body);
    line.forEach((text, column) => { element("td", text, row).className = column < 2 ? "name" : "number"; });
  }
  sentences.forEach((sentence) => element("li", sentence, document.getElementById("notes")));
})();
