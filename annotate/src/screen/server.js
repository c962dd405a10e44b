// Requests. The token stands in the address's fragment once, and then in this tab alone.
const takeToken = () => {
  const found = /^#t=([0-9a-f]+)$/.exec(location.hash);
  if (found) {
    sessionStorage.setItem('token', found[1]);
    window.history.replaceState(null, '', '/');
  }
  return sessionStorage.getItem('token');
};
let token = null;

class Refused extends Error {
  constructor(status, answer) {
    super(answer.error || String(status));
    this.status = status;
    this.answer = answer;
  }
}

const request = async (path, body) => {
  const options = { headers: { Authorization: `Bearer ${token}` }, cache: 'no-store' };
  if (body) Object.assign(options, { method: 'POST', body: JSON.stringify(body) });
  if (body) options.headers['Content-Type'] = 'application/json';
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    document.body.classList.add('gone');
    say(W().gone);
    throw new Refused(0, { error: W().gone });
  }
  const answer = await response.json();
  document.body.classList.toggle('gone', response.status === 401);
  if (!response.ok) throw new Refused(response.status, answer);
  return answer;
};
const pathOf = (id, rest = '') => `/api/pages/${encodeURIComponent(id)}${rest}`;

let said = 0;
const say = text => {
  said += 1;
  at('said').textContent = text;
};

// Changes are sent one after the other, each on the state that the one before left.
let queue = Promise.resolve();
const post = (events, told) => {
  const id = page.id;
  const send = async () => {
    if (!page || page.id !== id) return false;
    // Undo and redo are of the state that is left by then.
    const list = typeof events === 'function' ? events() : events;
    if (!list) { say(W().nothing); return false; }
    try {
      const progress = await request(pathOf(id, '/log'), { seq: page.seq, events: list });
      if (page.id === id) takeProgress(progress);
      if (told) say(`${told} · ${W().saved}`);
      showProgress();
      return true;
    } catch (fault) {
      if (fault.status === 409 && fault.answer.page) {
        const kept = choice;
        takePage(fault.answer.page);
        choice = kept;
        showPage();
        say(W().stale);
      } else if (fault instanceof Refused) {
        say(fault.message);
      } else {
        throw fault;
      }
      return false;
    }
  };
  queue = queue.then(send);
  return queue;
};

// A tab that comes back asks anew: another one may have changed the page.
const refresh = async () => {
  if (!page) return;
  try {
    const found = await request(pathOf(page.id));
    if (found.id !== page.id || found.seq === page.seq) return;
    const kept = choice;
    takePage(found);
    choice = kept;
    showPage();
  } catch (fault) {
    if (!(fault instanceof Refused)) throw fault;
  }
};

// What was on the screen for half a second, and how long someone was active.
const seen = { before: new Set(), fresh: new Set(), known: new Set(), ms: 0, input: Date.now(), told: Date.now() };
const TICK = 500;
const ACTIVE = 60000;
const TELL = 10000;
const noteVisible = nodes => {
  for (const n of nodes) if (seen.before.has(n) && !seen.known.has(n)) seen.fresh.add(n);
  for (const n of seen.fresh) seen.known.add(n);
  seen.before = new Set(nodes);
};
const seenEvent = () => {
  const nodes = [...seen.fresh].sort((a, b) => a - b);
  if (!nodes.length && seen.ms < TICK) return [];
  const runs = [];
  for (const n of nodes) {
    const last = runs[runs.length - 1];
    if (last && last[1] + 1 === n) last[1] = n; else runs.push([n, n]);
  }
  const event = { do: 'seen', nodes: runs.slice(0, 900), ms: Math.min(seen.ms, 120000) };
  seen.fresh = new Set();
  page.ms += seen.ms;
  seen.ms = 0;
  return [event];
};
const tick = () => {
  if (!page || document.hidden || document.body.classList.contains('gone')) return;
  noteVisible(visibleNodes());
  if (Date.now() - seen.input < ACTIVE) seen.ms += TICK;
  showTime();
  if (Date.now() - seen.told >= TELL) {
    seen.told = Date.now();
    const events = seenEvent();
    if (events.length) post(events);
  }
};
