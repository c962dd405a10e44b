// The screen as a whole: top, bottom, keys, start.
let singleKeys = localStorage.getItem('single-keys') !== '0';
let roleNext = false;

const BAR = [
  ['content', '1', () => mark('content', false, 'mouse')], ['not', '2', () => mark('not', false, 'mouse')],
  ['unsure', '3', () => mark('unsure', false, 'mouse')], ['role', 'r', () => showRoles()], ['clear', '0', () => mark(null, false, 'mouse')],
  ['accept', 'a', () => accept()], ['larger', 'p', () => widen()], ['smaller', 'i', () => narrow()], ['sentences', 's', () => startSentences()],
  ['undo', 'u', () => undo()], ['redo', 'U', () => redo()], ['text', 't', () => showText()], ['why', 'w', () => showWhy()],
  ['faulty', 'f', () => showFaults()], ['note', 'c', () => showNote()], ['find', '/', () => showFind()], ['view', 'v', () => toggleView()],
  ['previous', '[', () => go(-1)], ['next', ']', () => go(1)], ['done', 'Enter', () => finish()],
];
const SIDES = [['left', 'x', () => side('left')], ['right', 'y', () => side('right')]];

const showTop = () => {
  const { dataset, by, counts } = server;
  document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en';
  at('where').textContent = `${dataset} · ${by} · ${W().finished(counts.done, counts.skipped, counts.pages)}`;
  at('progress').max = Math.max(1, counts.pages);
  at('progress').value = counts.done + counts.skipped;
  at('progress').setAttribute('aria-label', W().progress);
  at('page-name').textContent = page ? `${page.id} · ${page.site}` : '';
  at('b-language').textContent = W().language;
  at('b-language').lang = language === 'zh' ? 'en' : 'zh-Hans';
  at('b-guidelines').textContent = W().guidelines;
  at('b-help').textContent = W().help;
  at('lines-name').textContent = W().lines;
  at('view-name').textContent = W().pageView;
  at('frame').title = W().pageView;
  at('bar').setAttribute('aria-label', W().bar);
  const buttons = [...(server.mode === 'adjudicate' ? SIDES : []), ...BAR].map(([name, key, act]) => {
    const button = make('button', { type: 'button', id: `do-${name}` }, [W()[name], make('kbd', { textContent: key })]);
    button.addEventListener('click', guarded(async () => {
      if (page || failed && ['next', 'previous'].includes(name)) await act();
    }));
    return button;
  });
  at('bar').replaceChildren(...buttons);
};
const showTime = () => {
  const seconds = Math.floor(((page ? page.ms : 0) + seen.ms) / 1000);
  at('time').textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};
// The elements around the choice, once it rests.
let pathAsked = 0;
const showPath = async () => {
  pathAsked += 1;
  const asked = pathAsked;
  at('path').textContent = '';
  if (!choice) return;
  const [id, { a, b }] = [page.id, choice];
  await new Promise(rested => setTimeout(rested, 150));
  if (asked !== pathAsked) return;
  const found = await request(pathOf(id, `/pieces?n=${a}&to=${b}`));
  if (asked === pathAsked) at('path').textContent = found.ancestry.slice(-3).join(' > ');
};
const showAbout = () => {
  guarded(showPath)();
  if (!choice) { at('about').textContent = ''; return; }
  let chars = 0;
  for (let n = choice.a; n <= choice.b; n += 1) chars += page.chars[n];
  if (choice.from !== undefined) chars = choice.to - choice.from;
  const found = of[choice.a];
  const isOwn = found && found[1][0] === choice.a && found[1][1] === choice.b;
  const how = found ? [word(found[0]), isOwn ? W().own : `${W().inherited}: ${W().line(lineOf[found[1][0]] + 1)}`] : [W().none];
  at('about').textContent = [W().line(lineOf[choice.a] + 1), W().characters(chars), ...how].join(' · ');
};
const showCounts = () => {
  const open = countNodes(n => !hasLabel(n));
  const unseen = countNodes(n => !seen.known.has(n));
  const told = [W().goldIs(page.gold), W().unlabelled(open), W().unseen(unseen)];
  if (page.skip) told.push(W().skipped(page.skip));
  if (page.sides) told.push(W().sidesAre(page.sides.join(', ')));
  at('counts').textContent = told.join(' · ');
};
const showProgress = () => {
  redrawLines();
  showAbout();
  showCounts();
  showFrameLabels();
};
const showPage = () => {
  showTop();
  showLines();
  if (choice && choice.b < page.texts.length) showChoice(); else chooseLine(0);
  showCounts();
  showTime();
  showPageView();
};
// A page that did not open: one goes on from there.
let failed = null;
const openPage = async id => {
  await queue;
  let found;
  try {
    found = await request(pathOf(id));
  } catch (fault) {
    failed = id;
    at('page-name').textContent = id;
    throw fault;
  }
  failed = null;
  seen.known = new Set(found.seen.flatMap(([a, b]) => Array.from({ length: b - a + 1 }, (_, i) => a + i)));
  seen.fresh = new Set();
  seen.before = new Set();
  takePage(found);
  warned = null;
  showPage();
  at('lines').focus();
  requestAnimationFrame(() => {
    document.body.dataset.page = id;
    document.body.dataset.shown = performance.now();
  });
};

const isLong = line => lineChars(line) >= 40;
const KEYS = {
  j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1), J: () => extend(1), K: () => extend(-1),
  l: () => move(1, isLong), h: () => move(-1, isLong), n: () => nextOpen(1), N: () => nextOpen(-1), p: () => widen(), ArrowLeft: () => widen(),
  i: () => narrow(), ArrowRight: () => narrow(), s: () => startSentences(), '/': () => showFind(), a: () => accept(), x: () => side('left'),
  y: () => side('right'), u: () => undo(), U: () => redo(), Enter: () => finish(), ']': () => go(1), '[': () => go(-1), f: () => showFaults(),
  v: () => toggleView(), t: () => showText(), w: () => showWhy(), g: () => showGuidelines(), c: () => showNote(), '?': () => showHelp(),
  0: () => mark(null), Delete: () => mark(null),
};
const DIGITS = { Digit1: 'content', Digit2: 'not', Digit3: 'unsure', Numpad1: 'content', Numpad2: 'not', Numpad3: 'unsure' };
// An input method may hide the letter; the key's place tells it.
const letter = event => {
  if (event.key !== 'Process' && event.key !== 'Unidentified') return event.key;
  const found = /^Key([A-Z])$/.exec(event.code);
  if (found) return event.shiftKey ? found[1] : found[1].toLowerCase();
  return { BracketLeft: '[', BracketRight: ']', Slash: event.shiftKey ? '?' : '/', Enter: 'Enter', Digit0: '0' }[event.code] || event.key;
};
const pressed = event => {
  if (at('dialog').open || event.metaKey) return;
  const key = letter(event);
  if (!page) return failed && (key === ']' || key === '[') ? go(key === ']' ? 1 : -1) : undefined;
  if (event.ctrlKey) {
    const act = { z: undo, y: redo }[key.toLowerCase()];
    if (act) { event.preventDefault(); act(); }
    return;
  }
  if (event.altKey) return;
  const isArrow = key.startsWith('Arrow');
  if (!singleKeys && key.length === 1) return;
  if (roleNext) {
    roleNext = false;
    event.preventDefault();
    const role = server.labels.find(label => label.key === key.toLowerCase());
    if (key === '?') return showRoles();
    return role ? mark(role.name, event.shiftKey) : say(W().nothing);
  }
  if (key === 'r') { event.preventDefault(); roleNext = true; return say(W().roleKeys); }
  if (key === 'Escape') { if (walk) chooseLine(lineOf[walk.n]); return; }
  if (DIGITS[event.code]) { event.preventDefault(); return mark(DIGITS[event.code], event.shiftKey); }
  if (event.code === 'Digit0' || key === 'Delete') { event.preventDefault(); return mark(null, event.shiftKey); }
  if (isArrow && event.shiftKey) { event.preventDefault(); return extend(key === 'ArrowDown' ? 1 : -1); }
  const act = KEYS[key];
  if (act) { event.preventDefault(); return act(); }
};
const guarded = act => async (...given) => {
  try {
    await act(...given);
  } catch (fault) {
    if (!(fault instanceof Refused)) throw fault;
    say(fault.message);
  }
};

const selectionEnds = () => {
  const selection = getSelection();
  if (selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  const unit = (node, offset) => {
    const part = (node.nodeType === 3 ? node.parentElement : node).closest('[data-u]');
    const owner = part && part.closest('.node');
    return owner ? [Number(owner.dataset.n), Number(part.dataset.u) + (node.nodeType === 3 ? offset : 0)] : null;
  };
  // A selection that begins or ends beside the text is of all text inside it.
  const inside = [...document.querySelectorAll('#lines [data-u]')].filter(part => range.intersectsNode(part));
  if (!inside.length) return null;
  const last = inside[inside.length - 1];
  const start = unit(range.startContainer, range.startOffset) || unit(inside[0], 0);
  const end = unit(range.endContainer, range.endOffset)
    || [Number(last.closest('.node').dataset.n), Number(last.dataset.u) + last.textContent.length];
  return [...start, ...end];
};

const start = async () => {
  token = takeToken();
  language = localStorage.getItem('language') || (navigator.language.startsWith('zh') ? 'zh' : 'en');
  viewOn = localStorage.getItem('view') === '1';
  if (!token) return say(W().noToken);
  server = await request('/api/state');
  if (server.language && !localStorage.getItem('language')) language = server.language;
  showTop();
  if (server.at === null) return say(W().allDone);
  await openPage(server.at);
};

at('b-language').addEventListener('click', () => {
  language = language === 'zh' ? 'en' : 'zh';
  localStorage.setItem('language', language);
  if (!server) return;
  showTop();
  if (page) showProgress();
});
at('b-guidelines').addEventListener('click', () => { if (server) showGuidelines(); });
at('b-help').addEventListener('click', showHelp);
at('b-close').addEventListener('click', close);
at('dialog').addEventListener('close', () => at('lines').focus());
at('lines').addEventListener('mouseup', guarded(async event => {
  const ends = selectionEnds();
  if (ends) {
    await selected(...ends);
    return getSelection().removeAllRanges();
  }
  const node = event.target.closest('.node');
  const row = event.target.closest('.row');
  if (node) clicked(Number(node.dataset.n), event.altKey);
  else if (row) chooseLine(Number(row.id.slice(1)));
}));
document.addEventListener('keydown', event => {
  const { target } = event;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
  // A button that has the focus is pressed by Enter.
  if (target.tagName === 'BUTTON' && event.key === 'Enter') return;
  guarded(pressed)(event);
});
for (const kind of ['keydown', 'mousemove', 'mousedown', 'wheel']) {
  document.addEventListener(kind, () => { seen.input = Date.now(); }, { passive: true });
}
document.addEventListener('visibilitychange', () => { if (!document.hidden) guarded(refresh)(); });
setInterval(tick, TICK);
guarded(start)();
