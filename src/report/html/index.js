
const [NOT_RUN, ZERO, AS_BEFORE, MATCHED] = [0, 1, 2, 3];

/** Numbers one after the other from the bytes of some, seven bits each. */
function* numbersOf(base64) {
  let [number, weight] = [0, 1];
  for (const character of atob(base64)) {
    const byte = character.charCodeAt(0);
    number += (byte % 128) * weight;
    weight *= 128;
    if (byte >= 128) continue;
    yield number;
    [number, weight] = [0, 1];
  }
}

/** A part of a whole in units of 1e-12, as carat rounds scores. */
const ratio = (part, whole) => (whole === 0 ? 0 : Math.round((part / whole) * 1e12) / 1e12);

/** Precision, recall and F1 of every row on every page, one after the other; NaN where it was not run. */
function scoresOf({ scores, pages, rows }) {
  const made = new Float64Array(pages.length * rows.length * 3);
  const numbers = numbersOf(scores);
  const next = () => numbers.next().value;
  for (let place = 0; place < made.length; place += 3) {
    const number = next();
    if (number === ZERO) continue;
    if (number === NOT_RUN) { made.fill(NaN, place, place + 3); continue; }
    if (number === AS_BEFORE) { made.copyWithin(place, place - 3, place); continue; }
    const [matched, extracted, gold] = [number - MATCHED, next(), next()];
    const areEmpty = extracted === 0 && gold === 0;
    made.set(areEmpty ? [1, 1, 1] : [ratio(matched, extracted), ratio(matched, gold), ratio(2 * matched, extracted + gold)], place);
  }
  return made;
}

for (const dataset of data.datasets) {
  const scores = scoresOf(dataset);
  /** Precision, recall or F1 (0, 1, 2) of a row on a page; null where it was not run. */
  dataset.score = (page, row, part) => {
    const value = scores[(page * dataset.rows.length + row) * 3 + part];
    return Number.isNaN(value) ? null : value;
  };
}

const rowName = (row) => row.algorithm + (row.setting ? `:${row.setting}` : "");
const link = (page, fragment = "") => element("a", { href: `pages/${page.file}${fragment}` }, page.id);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
let dataset = data.datasets[0];

const TAG_TITLES = { site: label.site, language: label.language, kind: label.kind };
const TAGS = Object.keys(TAG_TITLES);

/** The places of the pages that the table of rows is of; null where it is of all. */
function chosenPages() {
  const asked = TAGS.map((key) => [key, byId(`rows-${key}`).value]).filter(([, value]) => value !== "");
  if (asked.length === 0) return null;
  return dataset.pages.map((_, place) => place).filter((place) => asked.every(([key, value]) => dataset.pages[place][key] === value));
}

/** A row with the means over some pages. */
function rowOn(row, pages) {
  const number = dataset.rows.indexOf(row);
  const means = [0, 1, 2].map((part) => {
    const scores = pages.map((place) => dataset.score(place, number, part)).filter((score) => score !== null);
    return scores.length ? mean(scores) : null;
  });
  const count = pages.filter((place) => dataset.score(place, number, 2) !== null).length;
  return { ...row, precision: means[0], recall: means[1], f1: means[2], pages: count };
}

function showRows() {
  const wanted = byId("rows-filter").value.toLowerCase();
  const all = byId("all-rows").checked;
  const role = byId("role").value;
  const isWanted = (row) => (role === "" || row.role === role) && rowName(row).toLowerCase().includes(wanted);
  // Of equal figures the best and the default of each algorithm come first.
  const [main, others] = [true, false].map((isMain) => dataset.rows.filter((row) => row.main === isMain && isWanted(row)));
  const chosen = all ? [...main, ...others] : main;
  hideRows(dataset.name, (number) => isWanted(dataset.rows[number]));
  const some = chosenPages();
  byId("letters-intro").hidden = some !== null || !hasLetters();
  byId("interval-intro").hidden = some !== null || !hasIntervals();
  if (some === null) showAllPages(chosen);
  else showSomePages(chosen.map((row) => rowOn(row, some)), some);
}

/** More than a hundred rows have no letters, and rows of one site have no intervals. */
const hasLetters = () => dataset.rows.some((row) => row.letters);
const hasIntervals = () => dataset.rows.some((row) => row.interval);
const rowClass = (row) => (row.floor || row.bound ? "floor" : null);
/** The columns that name rows; there is none of settings where no row has one. */
const nameColumns = (rows) => [
  { title: label.algorithm, name: true, value: (row) => row.algorithm, cell: markedName },
  { title: label.setting, name: true, value: (row) => row.setting, cell: (row) => row.setting },
].filter((column) => column.title !== label.setting || rows.some((row) => row.setting));
/** By what a table of rows is sorted at first. */
const sortedByF1 = (columns) => [columns.findIndex((column) => column.title === "F1"), true];

function showSomePages(rows, pages) {
  const figure = (key, title) => ({ title, number: true, value: (row) => row[key], cell: (row) => (row[key] === null ? "" : four(row[key])) });
  const columns = [...nameColumns(rows), figure("f1", "F1"), figure("precision", label.precision), figure("recall", label.recall),
    { title: label.page_count, number: true, value: (row) => row.pages, cell: (row) => row.pages }];
  const leftOut = data.left_out ? ` (${filled(label.left_out, data.left_out)})` : "";
  const caption = filled(label.of_some_pages, dataset.name, pages.length) + leftOut;
  byId("rows-table").replaceChildren(table(columns, rows, { sorted: sortedByF1(columns), caption, rowClass, rowTitle: (row) => row.about, last: (row) => row.bound }));
}

function showAllPages(rows) {
  const counted = [["failed", label.failed], ["timed_out", label.timed_out], ["not_run", label.not_run], ["without", label.without], ["unfit", label.unfit], ["empty", label.empty], ["degraded", label.degraded]]
    .filter(([key]) => rows.some((row) => row[key] > 0));
  const figure = (key, title) => ({ title, number: true, value: (row) => row[key], cell: (row) => four(row[key]) });
  const columns = [
    ...nameColumns(rows),
    figure("f1", "F1"),
    ...(hasIntervals() ? [{ title: label.interval, number: true, value: (row) => row.interval?.[0] ?? null, cell: (row) => (row.interval ? row.interval.map(four).join(" \u2013 ") : "") }] : []),
    ...(hasLetters() ? [{ title: label.letters, kind: "letters", value: (row) => row.letters, cell: (row) => row.letters }] : []),
    figure("precision", label.precision), figure("recall", label.recall),
    { title: label.page_count, number: true, value: (row) => row.pages, cell: (row) => row.pages },
    ...counted.map(([key, title]) => ({ title, number: true, value: (row) => row[key], cell: (row) => row[key] || "" })),
    figure("site_f1", label.site_f1), figure("micro_f1", label.micro_f1),
  ];
  const caption = `${dataset.name}${label.colon}${filled(label.shown, rows.length, dataset.rows.length)}`;
  byId("rows-table").replaceChildren(table(columns, rows, { sorted: sortedByF1(columns), caption, rowClass, rowTitle: (row) => row.about, last: (row) => row.bound }));
  byId("notes").replaceChildren(...dataset.notes.map((note) => element("li", {}, note)));
}

/** Whether two rows have one F1 on every page. */
const areAlike = (one, other) => dataset.pages.every((_, page) => dataset.score(page, one, 2) === dataset.score(page, other, 2));

/** The two rows to look at first: the best one, and the best of another algorithm that is not alike; else of another setting. */
function bestTwo() {
  const places = dataset.rows.map((_, place) => place).filter((place) => !dataset.rows[place].bound);
  const byRank = (one, other) => other.f1 - one.f1 || other.is_best - one.is_best || other.main - one.main;
  const [best = 0, ...others] = places.sort((one, other) => byRank(dataset.rows[one], dataset.rows[other]));
  const differing = others.filter((place) => !areAlike(place, best));
  const isOfAnother = (place) => dataset.rows[place].algorithm !== dataset.rows[best].algorithm;
  const second = differing.find((place) => isOfAnother(place) && !dataset.rows[place].floor) ?? differing.find(isOfAnother);
  return [best, second ?? differing[0] ?? others[0] ?? best];
}

function chooseRows() {
  const options = dataset.rows.flatMap((row, place) => (row.bound === "bound" ? [] : [[String(place), rowName(row)]]));
  const [best, second] = bestTwo();
  choices(byId("row-a"), options, String(best));
  choices(byId("row-b"), options, String(second));
  choices(byId("part"), [["2", "F1"], ["0", label.precision], ["1", label.recall]], "2");
  choices(byId("order"), ORDERS.map(({ name, title }) => [name, title]), "differ");
  for (const key of TAGS) {
    const values = [...new Set(dataset.pages.map((page) => page[key]))].filter((value) => value !== "").sort();
    for (const id of [key, `rows-${key}`]) {
      choices(byId(id), [["", label.every], ...values.map((value) => [value, value])], "");
      byId(id).closest("label").hidden = values.length === 0;
    }
  }
  const roles = [["algorithm", label.role_algorithm], ["ensemble", label.role_ensemble], ["program", label.role_program], ["floor", label.role_floor], ["learned", label.learned], ["bound", label.role_bound]];
  choices(byId("role"), [["", label.every], ...roles.filter(([role]) => dataset.rows.some((row) => row.role === role))], "");
}

/** What the table of pages is made of, for the rows and the score that are chosen. */
function pageFigures() {
  const [a, b, part] = ["row-a", "row-b", "part"].map((id) => Number(byId(id).value));
  return dataset.pages.map((page, place) => {
    const scores = dataset.rows.flatMap((row, number) => (row.bound ? [] : [dataset.score(place, number, part)])).filter((score) => score !== null);
    const [of_a, of_b] = [a, b].map((row) => dataset.score(place, row, part));
    const [best, worst] = scores.length ? [Math.max(...scores), Math.min(...scores)] : [null, null];
    const difference = of_a === null || of_b === null ? null : of_a - of_b;
    return { ...page, of_a, of_b, best, worst, difference, spread: best === null ? null : best - worst };
  });
}

/** By what pages can be ordered; the least value comes first. */
const downwards = (figure) => (figure === null ? null : -figure);
const ORDERS = [
  { name: "differ", title: label.order_differ, value: (page) => downwards(page.difference === null ? null : Math.abs(page.difference)) },
  { name: "disputed", title: label.order_disputed, value: (page) => downwards(page.spread) },
  { name: "worst", title: label.order_worst, value: (page) => page.best },
  { name: "best", title: label.order_best, value: (page) => downwards(page.worst) },
  { name: "a_ahead", title: label.order_a_ahead, value: (page) => downwards(page.difference) },
  { name: "b_ahead", title: label.order_b_ahead, value: (page) => page.difference },
  { name: "a_worst", title: label.order_a_worst, value: (page) => page.of_a },
];

/** What the rows A and B are called. */
const chosenNames = () => ["row-a", "row-b"].map((id) => byId(id).selectedOptions[0]?.textContent ?? "");

function showDuel(pages) {
  const both = pages.filter((page) => page.difference !== null);
  const [won, lost] = [both.filter((page) => page.difference > 0).length, both.filter((page) => page.difference < 0).length];
  const names = chosenNames();
  const by = both.length ? mean(both.map((page) => page.difference)) : 0;
  const signed = (by > 0 && four(by) !== four(0) ? "+" : "") + four(by);
  byId("duel").textContent = filled(label.duel, names[0], names[1], both.length, won, both.length - won - lost, lost, signed);
}

function showPages() {
  const wanted = byId("pages-filter").value.toLowerCase();
  const is = (key) => (page) => byId(key).value === "" || page[key] === byId(key).value;
  const fits = [is("site"), is("language"), is("kind"), (page) => page.id.toLowerCase().includes(wanted)];
  const pages = pageFigures().filter((page) => fits.every((fit) => fit(page)));
  showDuel(pages);
  const order = ORDERS.find(({ name }) => name === byId("order").value);
  pages.sort((one, other) => byValue(order.value(one), order.value(other)));
  const figure = (key, title) => ({ title, number: true, value: (page) => page[key], cell: (page) => (page[key] === null ? "" : four(page[key])) });
  const fragment = rowsFragment(...chosenNames());
  const columns = [
    { title: label.page, name: true, value: (page) => page.id, cell: (page) => link(page, fragment) },
    ...tagColumns(dataset.pages),
    figure("of_a", "A"), figure("of_b", "B"), figure("difference", "A \u2212 B"),
    figure("best", label.best), figure("worst", label.worst), figure("spread", label.spread),
  ];
  const leftOut = data.left_out ? ` (${filled(label.left_out, data.left_out)})` : "";
  const caption = filled(label.pages_shown, pages.length, dataset.pages.length, order.title, ...chosenNames()) + leftOut;
  byId("pages-table").replaceChildren(table(columns, pages, { first: 25, caption }));
}

/** A text with its middle left out where it is long, which shows whole under the pointer: of hosts and paths the ends tell most. */
function shortened(text) {
  const [MOST, KEPT] = [28, 13];
  const characters = [...text];
  if (characters.length <= MOST) return text;
  return element("span", { title: text }, `${characters.slice(0, KEPT).join("")}\u2026${characters.slice(-KEPT).join("")}`);
}

/** The columns of pages' tags; those that tell nothing of any page beyond its id are left out. */
function tagColumns(pages) {
  return TAGS.filter((key) => pages.some((page) => page[key] !== "" && page[key] !== page.id))
    .map((key) => ({ title: TAG_TITLES[key], value: (page) => page[key], cell: (page) => shortened(page[key]) }));
}

/** A column of figures of pages, or of groups of them. */
const figureColumn = (key, title) => ({ title, number: true, value: (page) => page[key], cell: (page) => four(page[key]) });
/** The columns of agreement: of all systems, and of the two that agree least. */
const agreementColumns = () => [
  figureColumn("f1", "F1"),
  { title: label.least, name: true, value: (page) => page.least.join(" / "), cell: (page) => page.least.join(" / ") },
  figureColumn("least_f1", label.least_f1),
];

/** What systems keep of pages without gold, and the groups of pages that they dispute most. */
function showCorpus() {
  const isName = (lines, place) => lines.some((line) => line[place] !== "" && Number.isNaN(Number(line[place])));
  const column = (lines) => (title, place) => {
    const name = place === 0 || isName(lines, place);
    return { title, name, number: !name, value: (line) => (name ? line[place] : line[place] === "" ? null : Number(line[place])), cell: (line) => line[place] };
  };
  const groups = (name) => ({ key, of, rows, listed }) => table([
    { title: key, value: (group) => group.name, cell: (group) => shortened(group.name) },
    { title: label.page_count, number: true, value: (group) => group.pages, cell: (group) => group.pages },
    ...agreementColumns(),
  ], rows, { first: 10, caption: [filled(label.groups_shown, name, rows.length, of, key), listed].filter(Boolean).join("; ") });
  const tables = data.corpus.flatMap(({ dataset: name, header, lines, note, groups: kinds }) =>
    [table(header.map(column(lines)), lines, { caption: name }), element("p", {}, note), ...kinds.map(groups(name))]);
  byId("corpus-tables").replaceChildren(...tables);
  for (const id of ["corpus", "corpus-link"]) byId(id).hidden = tables.length === 0;
}

/** The most disputed pages without gold. */
function showDisputed() {
  const tables = data.disputed.flatMap(({ dataset: name, of, silent, pages }) => [table([
    { title: label.page, name: true, value: (page) => page.id, cell: (page) => (page.file ? link(page) : page.id) },
    { title: label.texts_f1, number: true, value: (page) => page.texts_f1, cell: (page) => (page.texts_f1 === null ? "" : four(page.texts_f1)) },
    { title: label.silent, number: true, value: (page) => page.silent, cell: (page) => page.silent },
    ...agreementColumns(),
    { title: label.pairs, number: true, value: (page) => page.pairs, cell: (page) => page.pairs },
    ...tagColumns(pages),
  ], pages, { first: 25, caption: filled(label.disputed_shown, name, pages.length, of) }), element("p", {}, silent)]);
  byId("disputed-tables").replaceChildren(...tables);
  for (const id of ["disputed", "disputed-link"]) byId(id).hidden = tables.length === 0;
}

function showComplexity() {
  const titles = { content_share: label.content_share, link_share: label.link_share, depth: label.depth };
  const tables = dataset.complexity.flatMap(({ by, bins, rows }) => {
    const columns = [
      { title: label.algorithm, name: true, value: ({ row }) => rowName(dataset.rows[row]), cell: ({ row }) => rowName(dataset.rows[row]) },
      ...bins.map(({ name, pages }, place) => ({
        title: `${name} (${pages})`, number: true, value: ({ f1 }) => f1[place], cell: ({ f1 }) => (f1[place] === null ? "" : four(f1[place])),
      })),
    ];
    return [element("h3", {}, titles[by]), table(columns, rows, { caption: `${titles[by]}${label.colon}${label.complexity_caption}` })];
  });
  byId("complexity-tables").replaceChildren(...(tables.length ? tables : [element("p", {}, label.no_complexity)]));
}

/** A role's name, for the table and its filter. */
const roleName = (line) => line.role ?? label.no_role;

function chooseTextRoles() {
  const names = [...new Set(dataset.roles.map(roleName))];
  choices(byId("text-role"), [["", label.every], ...names.map((name) => [name, name])], "");
  for (const id of ["roles", "roles-link"]) byId(id).hidden = names.length === 0;
}

/** What rows hold of each role of the pages' text. */
function showTextRoles() {
  const [all, wanted] = [byId("all-role-rows").checked, byId("text-role").value];
  const lines = dataset.roles.filter((line) => (all || dataset.rows[line.row].main) && (wanted === "" || roleName(line) === wanted));
  const share = (key, title) => ({ title, number: true, value: (line) => line[key], cell: (line) => (line[key] === null ? "" : four(line[key])) });
  const count = (key, title) => ({ title, number: true, value: (line) => line[key], cell: (line) => line[key] });
  const gold = { yes: label.in_gold_yes, partly: label.in_gold_partly, no: label.in_gold_no };
  const name = (line) => rowName(dataset.rows[line.row]);
  const columns = [
    { title: label.algorithm, name: true, value: name, cell: name },
    { title: label.role_of_text, value: roleName, cell: roleName },
    { title: label.in_gold, value: (line) => line.in_gold, cell: (line) => gold[line.in_gold] },
    share("recall", label.recall), share("extracted_share", label.extracted_share), share("false_positive_share", label.false_positive_share),
    count("characters", label.characters), count("extracted", label.extracted),
  ];
  byId("roles-table").replaceChildren(table(columns, lines, { caption: dataset.name }));
}

/** How much text rows leave of their pages. */
function showSavings() {
  for (const id of ["savings", "savings-link"]) byId(id).hidden = dataset.savings.length === 0;
  const lines = dataset.savings.filter((line) => byId("all-savings-rows").checked || dataset.rows[line.row].main);
  const share = (key, title) => ({ title, number: true, value: (line) => line[key], cell: (line) => (line[key] === null ? "" : four(line[key])) });
  const count = (key, title) => ({ title, number: true, value: (line) => line[key], cell: (line) => line[key] ?? "" });
  const name = (line) => rowName(dataset.rows[line.row]);
  const columns = [
    { title: label.algorithm, name: true, value: name, cell: name },
    share("kept_of_html", label.kept_of_html), share("kept_of_text", label.kept_of_text),
    count("extracted", label.extracted), count("html", label.characters_of_html), count("text", label.characters_of_text), count("pages", label.page_count),
  ];
  byId("savings-table").replaceChildren(table(columns, lines, { caption: dataset.name }));
}

function showFailures() {
  const columns = [
    { title: label.dataset, value: (failure) => failure.dataset, cell: (failure) => failure.dataset },
    { title: label.page, name: true, value: (failure) => failure.page, cell: (failure) => failure.page },
    { title: label.algorithm, value: (failure) => failure.algorithm ?? "", cell: (failure) => failure.algorithm ?? label.every },
    { title: label.reason, name: true, value: (failure) => failure.reason, cell: (failure) => failure.reason },
  ];
  const none = element("p", {}, label.no_failures);
  const more = data.failures_left_out ? [element("p", {}, filled(label.failures_left_out, data.failures_left_out))] : [];
  byId("failures-table").replaceChildren(data.failures.length ? table(columns, data.failures) : none, ...more);
}

function showAbout() {
  const entries = [["carat", data.carat], [label.result_digest, data.result_digest],
    ...data.datasets.map((dataset) => [dataset.name, dataset.conditions]),
    ...data.disputed.map((disputed) => [disputed.dataset, disputed.conditions]),
    ...(dataset?.rows ?? []).filter((row) => row.main).map((row) => [rowName(row), row.system]),
    ...(dataset ? [] : data.disputed.flatMap(({ systems }) => systems))];
  byId("about-list").replaceChildren(...entries.flatMap(([term, text]) => [element("dt", {}, term), element("dd", {}, text)]));
}

/** Without gold there are no rows, and no figures of them. */
function hideWhatIsEmpty() {
  const empty = { rows: !dataset, pages: !dataset, complexity: !dataset, figures: drawnFigures.length === 0 };
  for (const [id, isEmpty] of Object.entries(empty)) {
    if (!isEmpty) continue;
    byId(id).hidden = true;
    document.querySelector(`nav a[href="#${id}"]`).hidden = true;
  }
}

function showDataset() {
  byId("conditions").textContent = dataset?.conditions ?? data.disputed.map(({ conditions }) => conditions).join("; ");
  byId("figures-filters").hidden = !dataset;
  showAbout();
  if (dataset) {
    chooseRows();
    chooseTextRoles();
    showFigures(dataset.name);
    [showRows, showPages, showComplexity, showTextRoles, showSavings].forEach((show) => show());
  }
}

const chosen = (id, show) => byId(id).addEventListener("input", show);
["row-a", "row-b", "part", "order", "site", "language", "kind", "pages-filter"].forEach((id) => chosen(id, showPages));
["all-rows", "rows-filter", "role", ...TAGS.map((key) => `rows-${key}`)].forEach((id) => chosen(id, showRows));
["all-role-rows", "text-role"].forEach((id) => chosen(id, showTextRoles));
chosen("all-savings-rows", showSavings);
choices(byId("dataset"), data.datasets.map((dataset, place) => [String(place), dataset.name]), "0");
byId("choice").hidden = data.datasets.length < 2;
chosen("dataset", () => { dataset = data.datasets[Number(byId("dataset").value)]; showDataset(); });
followFigures();
hideWhatIsEmpty();
showCorpus();
showDisputed();
showFailures();
showDataset();
