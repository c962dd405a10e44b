// The lines: only rows near the screen are in the document.
const CHUNK = 40;
let chunks = [];
let watcher = null;

const aboutLine = line => {
  const [a, b] = page.lines[line];
  const found = [];
  for (let n = a; n <= b; n += 1) {
    const shown = shownOf(n);
    const name = shown.label === 'none' ? W().none : shown.how === 'disputed' ? W().disputed : word(shown.label);
    found.push(shown.how === 'p' ? `(${name})` : name);
    for (const piece of piecesOf.get(n) || []) found.push(word(piece[3]));
  }
  return [...new Set(found)];
};

// The chosen pieces of a text node, in UTF-16 units.
const chosenIn = n => {
  if (!choice) return [];
  return (choice.ends || [choice]).filter(part => part.from !== undefined && part.a === n).map(part => [part.start, part.end]);
};

const nodePart = n => {
  const text = page.texts[n];
  const span = make('span', { className: `node ${classOf(shownOf(n))}` });
  span.dataset.n = n;
  const how = piecesOf.has(n) ? 'k' : 'p';
  const pieces = piecesOf.get(n) || (of[n] ? [] : proposedPieces.get(n)) || [];
  const labelled = pieces.map(([, , , label, start, end]) => [start, end, `${how}-${kind(label)}`]);
  const chosen = chosenIn(n);
  const places = [0, text.length, ...labelled.flatMap(([start, end]) => [start, end]), ...chosen.flat()];
  const sorted = [...new Set(places)].sort((a, b) => a - b);
  sorted.slice(0, -1).forEach((from, at) => {
    const holds = ([start, end]) => start <= from && from < end;
    const label = labelled.find(holds);
    const name = [label && `piece ${label[2]}`, chosen.some(holds) && 'piece in'].filter(Boolean).join(' ');
    const part = make('span', { className: name, textContent: text.slice(from, sorted[at + 1]) });
    part.dataset.u = from;
    span.append(part);
  });
  return span;
};

const rowOf = line => {
  const [a, b] = page.lines[line];
  const shown = shownOf(a);
  const sign = shown.how === 'k' || shown.how === 'disputed' || shown.label === 'none' ? shown.label : 'none';
  const k = sign === 'disputed' || sign === 'none' ? sign : kind(sign);
  const text = make('span', { className: 'text' });
  for (let n = a; n <= b; n += 1) {
    if (spaced.has(n)) text.append(' ');
    text.append(nodePart(n));
  }
  const words = aboutLine(line);
  const hidden = lineIs(line, n => isHidden.has(n));
  // Sign and word are no text of the row, whose name is the text of the page alone.
  const beside = (name, shown) => {
    const span = make('span', { className: name });
    span.dataset.beside = shown;
    return span;
  };
  const row = make('div', { className: 'row', id: `l${line}` }, [
    beside(`sign s-${k}`, SIGNS[k]), text, beside('word', `${hidden ? `⚠ ${W().hidden} ` : ''}${words.join(' · ')}`),
  ]);
  row.firstChild.setAttribute('aria-hidden', 'true');
  row.lastChild.setAttribute('aria-hidden', 'true');
  row.setAttribute('role', 'option');
  row.setAttribute('aria-posinset', line + 1);
  row.setAttribute('aria-setsize', page.lines.length);
  row.setAttribute('aria-label', text.textContent.replace(/\s+/g, ' ').trim());
  row.setAttribute('aria-description',
    [...words, W().characters(lineChars(line)), ...(hidden ? [W().hidden] : [])].join(', '));
  row.setAttribute('aria-selected', 'false');
  return row;
};

const linesOf = chunk => {
  const from = chunk * CHUNK;
  return Array.from({ length: Math.min(CHUNK, page.lines.length - from) }, (_, i) => from + i);
};
const render = chunk => {
  chunks[chunk].replaceChildren(...linesOf(chunk).map(rowOf));
  chunks[chunk].style.height = '';
  chunks[chunk].dataset.full = '1';
  showChoiceIn(chunk);
};
const empty = chunk => {
  const box = chunks[chunk];
  if (!box.dataset.full) return;
  box.style.height = `${box.getBoundingClientRect().height}px`;
  box.replaceChildren();
  delete box.dataset.full;
};

const showLines = () => {
  if (watcher) watcher.disconnect();
  const list = at('lines');
  watcher = new IntersectionObserver(entries => {
    for (const entry of entries) {
      const chunk = Number(entry.target.dataset.chunk);
      if (!entry.isIntersecting) empty(chunk);
      else if (!entry.target.dataset.full) render(chunk);
    }
  }, { root: list, rootMargin: '600px 0px' });
  chunks = Array.from({ length: Math.ceil(page.lines.length / CHUNK) }, (_, chunk) => {
    const box = make('div');
    box.setAttribute('role', 'presentation');
    box.dataset.chunk = chunk;
    box.style.height = `${linesOf(chunk).length * 28}px`;
    return box;
  });
  list.replaceChildren(...chunks);
  list.scrollTop = 0;
  if (chunks.length) render(0);
  chunks.forEach(box => watcher.observe(box));
};

// Draws the rows that are there again.
const redrawLines = () => {
  chunks.forEach((box, chunk) => { if (box.dataset.full) render(chunk); });
};

const showChoiceIn = chunk => {
  if (!choice) return;
  const [first, last] = [lineOf[choice.a], lineOf[choice.b]];
  for (const row of chunks[chunk].children) {
    const line = Number(row.id.slice(1));
    const chosen = first <= line && line <= last;
    row.classList.toggle('chosen', chosen && choice.from === undefined);
    row.setAttribute('aria-selected', String(chosen));
    const [a, b] = page.lines[line];
    const isPart = chosen && (choice.a > a || choice.b < b);
    for (const span of row.querySelectorAll('.node')) {
      const n = Number(span.dataset.n);
      span.classList.toggle('in', isPart && choice.from === undefined && choice.a <= n && n <= choice.b && !chosenIn(n).length);
    }
  }
};

let wasCut = false;
const showChoice = (scroll = true) => {
  if (!choice || !chunks.length) return;
  const line = lineOf[choice.a];
  const chunk = Math.floor(line / CHUNK);
  if (scroll && !chunks[chunk].dataset.full) render(chunk);
  // A chosen piece cuts its text; other choices are classes alone.
  const isCut = choice.from !== undefined || choice.ends !== undefined;
  if (wasCut || isCut) redrawLines();
  else chunks.forEach((box, place) => { if (box.dataset.full) showChoiceIn(place); });
  wasCut = isCut;
  const row = at(`l${line}`);
  if (row && scroll) row.scrollIntoView({ block: 'nearest' });
  at('lines').setAttribute('aria-activedescendant', `l${line}`);
  showAbout();
  tellFrame({ do: 'choose', a: choice.a, b: choice.b, scroll });
};

const visibleNodes = () => {
  const nodes = [...frameSeen];
  const box = at('lines').getBoundingClientRect();
  for (const chunk of chunks) {
    if (!chunk.dataset.full) continue;
    for (const row of chunk.children) {
      const { top, bottom } = row.getBoundingClientRect();
      if (bottom <= box.top + 4 || top >= box.bottom - 4) continue;
      const [a, b] = page.lines[Number(row.id.slice(1))];
      for (let n = a; n <= b; n += 1) nodes.push(n);
    }
  }
  return nodes;
};
