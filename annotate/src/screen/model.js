// What is known of the page: labels of text nodes, what is chosen, which targets make up a run.
let server = null; // The answer to /api/state.
let page = null;
let of = []; // By text node: [label, run that gives it], or undefined.
let proposed = []; // By text node.
let piecesOf = new Map();
let proposedPieces = new Map();
let isDisputed = new Set();
let isHidden = new Set();
let lineOf = [];
let spaced = new Set();
let startAt = []; // By text node: where its targets begin in page.targets.
let choice = null; // {a, b} and, for a piece, {from, to, start, end}.
let history = [];
let walk = null; // Pieces that j and k walk over.

const roleOf = name => server.labels.find(label => label.name === name && label.key);
const kind = label => (roleOf(label) ? 'role' : label);
const word = label => {
  const role = roleOf(label);
  return role ? role[language] : W()[label];
};
const SIGNS = { content: '▌', not: '░', unsure: '▐', role: '▒', disputed: '⁇', none: '?' };

const fill = (runs, count) => {
  const labels = new Array(count);
  for (const [first, last, label, run] of runs) for (let n = first; n <= last; n += 1) labels[n] = [label, run];
  return labels;
};
const grouped = pieces => {
  const groups = new Map();
  for (const piece of pieces) groups.set(piece[0], [...(groups.get(piece[0]) || []), piece]);
  return groups;
};

const takeProgress = progress => {
  Object.assign(page, progress);
  of = fill(page.labels, page.texts.length);
  piecesOf = grouped(page.pieces);
};

const takePage = found => {
  page = found;
  const count = page.texts.length;
  takeProgress({});
  proposed = fill(page.proposal ? page.proposal.labels : [], count);
  proposedPieces = grouped(page.proposal ? page.proposal.pieces : []);
  isDisputed = new Set(page.disputed.flatMap(([a, b]) => Array.from({ length: b - a + 1 }, (_, i) => a + i)));
  isHidden = new Set();
  spaced = new Set(page.spaced);
  lineOf = new Array(count);
  page.lines.forEach(([a, b], line) => { for (let n = a; n <= b; n += 1) lineOf[n] = line; });
  startAt = new Array(count);
  page.targets.forEach(([a], place) => { startAt[a] ??= place; });
  choice = null;
  history = [];
  walk = null;
};

// The fewest targets that make up the text nodes a..b.
const cover = (a, b) => {
  const targets = [];
  for (let n = a; n <= b;) {
    let place = startAt[n];
    while (page.targets[place][1] > b) place += 1;
    targets.push(page.targets[place]);
    n = page.targets[place][1] + 1;
  }
  return targets;
};

// The smallest target that holds more than a..b.
const larger = (a, b) => {
  let best = null;
  for (const [c, d] of page.targets) {
    if (c > a) break;
    if (d >= b && (c < a || d > b) && (!best || d - c < best[1] - best[0])) best = [c, d];
  }
  return best;
};

// What is shown of a text node: its label, the proposed one, or that it has none.
const shownOf = n => {
  if (of[n]) return { label: of[n][0], how: 'k' };
  if (isDisputed.has(n)) return { label: 'disputed', how: 'disputed' };
  if (proposed[n]) return { label: proposed[n][0], how: 'p' };
  return { label: 'none', how: '' };
};
const classOf = ({ label, how }) => (how === 'disputed' ? 'disputed' : how ? `${how}-${kind(label)}` : '');

const hasLabel = n => {
  if (of[n]) return true;
  const length = (piecesOf.get(n) || []).reduce((sum, piece) => sum + piece[2] - piece[1], 0);
  return length === page.chars[n];
};
const lineIs = (line, test) => {
  const [a, b] = page.lines[line];
  for (let n = a; n <= b; n += 1) if (test(n)) return true;
  return false;
};
const lineChars = line => {
  const [a, b] = page.lines[line];
  let sum = 0;
  for (let n = a; n <= b; n += 1) sum += page.chars[n];
  return sum;
};
const countNodes = test => {
  let count = 0;
  for (let n = 0; n < page.texts.length; n += 1) if (test(n)) count += 1;
  return count;
};
const inRuns = (runs, n) => runs.some(([a, b]) => a <= n && n <= b);
