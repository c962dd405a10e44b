// Dialogs: help, guidelines, gold text, faults, comments, find.
const open = (name, ...content) => {
  at('dialog-name').textContent = name;
  at('dialog-text').replaceChildren(...content);
  at('b-close').textContent = W().close;
  if (!at('dialog').open) at('dialog').showModal();
};
const close = () => at('dialog').close();

const showHelp = () => {
  const list = make('dl', {}, W().keys.flatMap(([keys, text]) => [
    make('dt', {}, [make('kbd', { textContent: keys })]), make('dd', { textContent: text }),
  ]));
  const box = make('input', { type: 'checkbox', checked: singleKeys, id: 'single-keys' });
  box.addEventListener('change', () => {
    singleKeys = box.checked;
    localStorage.setItem('single-keys', singleKeys ? '1' : '0');
  });
  open(W().help, list, make('h3', { textContent: W().settings }), make('label', {}, [box, ` ${W().singleKeys}`]));
};
const showGuidelines = () => {
  const { version, en, zh } = server.guidelines;
  open(`${W().guidelines} · ${version}`, make('pre', { textContent: (language === 'zh' ? zh : en) || en || zh }));
};
const showText = async () => {
  await queue;
  const found = await request(pathOf(page.id, '/text'));
  open(`${W().text} · ${W().goldIs(found.chars)}`, make('pre', { textContent: found.text }));
};
const showWhy = async () => {
  if (!choice) return;
  const found = await request(pathOf(page.id, `/why?n=${choice.a}`));
  const told = counts => counts.map(([label, count]) => `${word(label)} ${count}`).join(', ');
  const texts = { sisters: () => found.counts.map(([what, counts]) => `${what === 'text' ? W().whyText : W().whyPath}: ${told(counts)}`).join('\n'),
    vote: () => `${W().whyVote}: ${found.votes.filter(vote => vote[1]).map(vote => vote[0]).join(', ') || '–'} (${found.votes.filter(vote => vote[1]).length}/${found.votes.length})`,
    gold: () => W().whyGold + (found.f1 === null ? '' : ` · ${W().f1(found.f1.toFixed(4))}`), agreed: () => W().whyAgreed };
  open(W().why, make('pre', { textContent: (found.kind && texts[found.kind]()) || (page.blank ? W().blank : W().whyNone) }));
};
const choices = (name, entries) => {
  const buttons = entries.map(([text, act]) => {
    const button = make('button', { type: 'button', textContent: text });
    button.addEventListener('click', () => { close(); act(); });
    return button;
  });
  open(name, make('div', { className: 'choices' }, buttons));
  if (buttons[0]) buttons[0].focus();
};
const showFaults = () => choices(W().fault, server.faults.map(fault => [fault, async () => {
  const isSkipped = await post([...seenEvent(), { do: 'skip', fault }], W().skipped(fault));
  if (isSkipped) await go(1, true);
}]));
const showRoles = () => choices(W().roleKeys, server.labels.filter(label => label.key).map(label =>
  [`${label.key} · ${label[language]}`, () => mark(label.name, false, 'mouse')]));
const asked = (name, value, isLong, act) => {
  const input = make(isLong ? 'textarea' : 'input', { value, id: 'asked' });
  input.setAttribute('aria-label', name);
  const button = make('button', { type: 'submit', textContent: isLong ? W().save : W().find });
  const form = make('form', {}, [input, ' ', button]);
  form.addEventListener('submit', event => {
    event.preventDefault();
    close();
    act(input.value);
  });
  open(name, form);
  input.focus();
  // The next word is typed over the last one.
  input.select();
};
const showNote = () => asked(W().note, page.note, true, text => post([{ do: 'note', text }], W().note));
let sought = '';
const showFind = () => asked(W().find, sought, false, text => {
  sought = text;
  const wanted = text.toLowerCase();
  const count = page.lines.length;
  const from = current();
  for (let i = 1; wanted && i <= count; i += 1) {
    const line = (from + i) % count;
    const [a, b] = page.lines[line];
    if (page.texts.slice(a, b + 1).join('').toLowerCase().includes(wanted)) {
      chooseLine(line);
      return say(`${W().found}: ${W().line(line + 1)}`);
    }
  }
  say(W().notFound);
});
