// What keys and buttons do.
const choose = (a, b, scroll = true) => {
  choice = { a, b };
  walk = null;
  showChoice(scroll);
};
const chooseLine = line => {
  if (!page.lines.length) return;
  history = [];
  const [a, b] = page.lines[Math.max(0, Math.min(page.lines.length - 1, line))];
  choose(a, b);
};
const current = () => (choice ? lineOf[choice.b] : -1);

const move = (step, test = () => true) => {
  if (walk) return walkBy(step);
  const from = choice ? (step > 0 ? lineOf[choice.b] : lineOf[choice.a]) : -1;
  for (let line = from + step; line >= 0 && line < page.lines.length; line += step) if (test(line)) return chooseLine(line);
  say(W().nothing);
};
const extend = step => {
  if (!choice) return chooseLine(0);
  const line = step > 0 ? lineOf[choice.b] + 1 : lineOf[choice.b] - 1;
  if (line < lineOf[choice.a] || line >= page.lines.length) return;
  choose(page.lines[lineOf[choice.a]][0], page.lines[line][1]);
};
const nextOpen = step => {
  const tests = [
    n => isDisputed.has(n) && !hasLabel(n), n => !hasLabel(n) && !proposed[n], n => !hasLabel(n),
  ];
  for (const test of tests) {
    const count = page.lines.length;
    const from = choice ? current() : step > 0 ? -1 : count;
    for (let i = 1; i <= count; i += 1) {
      const line = (((from + step * i) % count) + count) % count;
      if (lineIs(line, test)) return chooseLine(line);
    }
  }
  say(W().nothing);
};
const widen = () => {
  if (!choice) return;
  // Around a piece there is its text node first.
  const found = choice.from !== undefined ? [choice.a, choice.a] : larger(choice.a, choice.b);
  if (!found) return;
  history.push(choice);
  const kept = history;
  choose(...found);
  history = kept;
};
const narrow = () => {
  if (!choice) return;
  if (history.length) {
    const before = history.pop();
    choice = before;
    return showChoice();
  }
  const [a, b] = page.lines[lineOf[choice.a]];
  if (choice.a === choice.b && a < b) choose(choice.a < b ? choice.a + 1 : a, choice.a < b ? choice.a + 1 : a);
  else choose(choice.a, choice.a);
};

// Sentences of a text node, or pieces that a selection made.
const pieceOf = (n, [from, to, start, end]) => {
  if (from === 0 && to === page.chars[n]) return { a: n, b: n };
  return { a: n, b: n, from, to, start, end };
};
const startSentences = async () => {
  if (!choice) return;
  const n = choice.a;
  const id = page.id;
  const found = await request(pathOf(id, `/pieces?n=${n}`));
  if (page.id !== id) return;
  walk = { n, at: 0, list: found.sentences };
  choice = pieceOf(n, walk.list[0]);
  showChoice();
};
const walkBy = step => {
  const next = walk.at + step;
  if (next < 0 || next >= walk.list.length) {
    const line = lineOf[walk.n] + step;
    walk = null;
    return chooseLine(line);
  }
  walk.at = next;
  choice = pieceOf(walk.n, walk.list[next]);
  showChoice();
};

const clicked = (n, single) => {
  at('lines').focus();
  if (single) { history = []; return choose(n, n, false); }
  const [a, b] = page.lines[lineOf[n]];
  if (choice && choice.a <= n && n <= choice.b && choice.from === undefined && (choice.a < choice.b || a === b)
    && choice.a <= a && choice.b >= b) return widen();
  history = [];
  choose(a, b, false);
};

// A selection from UTF-16 unit start of text node a to unit end of text node b.
const selected = async (a, start, b, end) => {
  const id = page.id;
  const cutsOf = async n => (await request(pathOf(id, `/pieces?n=${n}`))).cuts;
  const parts = [];
  for (const n of a === b ? [a] : [a, b]) {
    const cuts = await cutsOf(n);
    const from = n === a ? cuts.find(cut => cut[1] > start) : cuts[0];
    const to = n === b ? cuts.filter(cut => cut[0] < end).pop() : cuts[cuts.length - 1];
    if (from && to && from[2] < to[3]) parts.push(pieceOf(n, [from[2], to[3], from[0], to[1]]));
  }
  if (page.id !== id || !parts.length) return;
  if (a === b) {
    const [part] = parts;
    // The same selection again means the next larger range.
    if (choice && choice.a === part.a && choice.b === part.b && choice.from === part.from && choice.to === part.to && !choice.ends) {
      return widen();
    }
    history = [];
    choice = part;
    walk = null;
    return showChoice(false);
  }
  const ends = parts.filter(part => part.from !== undefined);
  const isCut = n => ends.some(part => part.a === n) || !parts.some(part => part.a === n);
  const first = isCut(a) ? a + 1 : a;
  const last = isCut(b) ? b - 1 : b;
  history = [];
  choice = { a, b, ends, inner: first <= last ? [first, last] : null };
  walk = null;
  showChoice(false);
};

const setOf = label => {
  if (choice.ends) {
    const inner = choice.inner ? cover(...choice.inner) : [];
    return [...inner.map(([a, b]) => [a, b, label]), ...choice.ends.map(part => [part.a, part.from, part.to, label])];
  }
  if (choice.from !== undefined) return [[choice.a, choice.from, choice.to, label]];
  return cover(choice.a, choice.b).map(([a, b]) => [a, b, label]);
};
const after = () => {
  if (walk) return walkBy(1);
  const line = lineOf[choice.b] + 1;
  if (line < page.lines.length) chooseLine(line);
};
const mark = async (label, deep, via = 'key') => {
  if (!choice) return say(W().nothing);
  const set = setOf(label);
  const inside = deep ? set.filter(entry => entry.length === 3).map(([a, b]) => [a, b]) : [];
  const name = label ? word(label) : W().cleared;
  const where = W().line(lineOf[choice.a] + 1);
  if (label) after();
  return post([{ do: 'mark', set, inside, via }], `${where}: ${name}`);
};

// What is proposed for a..b and has no label yet, as the fewest marks.
const openProposals = (a, b) => {
  const set = [];
  let from = a;
  while (from <= b) {
    if (of[from] || !proposed[from]) { from += 1; continue; }
    let to = from;
    while (to < b && !of[to + 1] && proposed[to + 1] && proposed[to + 1][0] === proposed[from][0]) to += 1;
    set.push(...cover(from, to).map(([c, d]) => [c, d, proposed[from][0]]));
    from = to + 1;
  }
  for (const [n, pieces] of proposedPieces) {
    if (n < a || n > b || of[n] || piecesOf.has(n)) continue;
    set.push(...pieces.map(piece => [n, piece[1], piece[2], piece[3]]));
  }
  return set;
};
const SOME = 900;
const acceptEvents = set => {
  const events = [];
  for (let i = 0; i < set.length; i += SOME) events.push({ do: 'mark', set: set.slice(i, i + SOME), via: 'accept' });
  return events;
};
const accept = () => {
  if (!choice) return;
  const set = openProposals(choice.a, choice.b);
  if (!set.length) return say(W().nothing);
  after();
  return post(acceptEvents(set), W().accept);
};
const side = name => {
  if (!choice || !page[name]) return say(W().nothing);
  const set = page[name].filter(([n]) => choice.a <= n && n <= choice.b);
  if (!set.length) return say(W().nothing);
  nextOpen(1);
  return post([{ do: 'mark', set, inside: [], via: 'key' }], W()[name === 'left' ? 'left' : 'right']);
};
const undo = () => post(() => page.undo && [{ do: 'undo', of: page.undo }], W().undo);
const redo = () => post(() => page.redo && [{ do: 'redo', of: page.redo }], W().redo);

let warned = null;
const finish = async () => {
  await queue;
  if (countNodes(n => isDisputed.has(n) && !hasLabel(n)) && server.mode === 'adjudicate') {
    nextOpen(1);
    return say(W().noSides);
  }
  if (page.status === 'skipped') return say(W().isFaulty);
  const left = openProposals(0, page.texts.length - 1);
  const isEmpty = !page.gold && !left.length;
  const unseen = countNodes(n => !seen.known.has(n));
  const unsure = countNodes(n => (of[n] || [])[0] === 'unsure') + page.pieces.filter(piece => piece[3] === 'unsure').length;
  const disputed = countNodes(n => isDisputed.has(n) && !hasLabel(n));
  const told = [isEmpty && W().emptyGold, disputed && `${disputed} ${W().disputed}`, unsure && `${unsure} ${W().unsure}`, unseen && W().unseen(unseen)];
  if (told.some(Boolean) && warned !== page.id) {
    warned = page.id;
    return say(W().again(told.filter(Boolean).join(', ')));
  }
  const chars = left.reduce((sum, entry) => {
    if (entry.length === 4) return sum;
    for (let n = entry[0]; n <= entry[1]; n += 1) sum += page.chars[n];
    return sum;
  }, 0);
  const accepting = acceptEvents(left);
  while (accepting.length > 1) if (!await post([accepting.shift()])) return;
  const events = [...accepting, ...seenEvent(), { do: 'done' }];
  const isDone = await post(events, chars ? `${W().isDone}, ${W().accepted(chars)}` : W().isDone);
  if (isDone) await go(1, true);
};

// Goes to the next or previous page; `open`: to the next that is not finished.
const go = async (step, open = false) => {
  const events = page ? seenEvent() : [];
  if (events.length) await post(events);
  const listed = await listPages();
  const place = listed.findIndex(other => other.id === (failed || page.id));
  const isOpen = other => other.status === 'new' || other.status === 'begun';
  if (!open) return listed[place + step] ? openPage(listed[place + step].id) : say(W().nothing);
  const order = [...listed.slice(place + 1), ...listed.slice(0, place)];
  const next = order.find(isOpen);
  server = await request('/api/state');
  showTop();
  if (next) return openPage(next.id);
  say(W().allDone);
};
const listPages = async () => {
  const all = [];
  let left = 1;
  while (left) {
    const last = all[all.length - 1];
    const found = await request(`/api/pages?limit=1000${last ? `&after=${encodeURIComponent(last.id)}` : ''}`);
    all.push(...found.pages);
    left = found.left;
  }
  return all;
};
