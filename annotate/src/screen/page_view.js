// The page, in a frame of its own that has no token and reaches nothing. What it answers is checked.
let port = null;
let frameSeen = [];
let viewOn = false;
const canView = () => page && page.tree !== null && 'highlights' in CSS;

const tellFrame = message => {
  if (port) port.postMessage(message);
};
const isNode = n => Number.isInteger(n) && page && n >= 0 && n < page.texts.length;
const fromFrame = message => {
  if (!page || typeof message !== 'object' || message === null || message.page !== page.id) return;
  if (message.do === 'click' && isNode(message.n)) clicked(message.n, Boolean(message.alt));
  if (message.do === 'key' && typeof message.key === 'string' && typeof message.code === 'string') {
    guarded(pressed)({ key: message.key, code: message.code, shiftKey: Boolean(message.shift), ctrlKey: Boolean(message.ctrl),
      altKey: Boolean(message.alt), metaKey: false, preventDefault() {} });
  }
  if (message.do === 'select' && isNode(message.a) && isNode(message.b)
    && Number.isInteger(message.start) && Number.isInteger(message.end)) {
    guarded(selected)(message.a, message.start, message.b, message.end);
  }
  if (message.do === 'seen' && Array.isArray(message.nodes)) frameSeen = message.nodes.filter(isNode);
  if (message.do === 'hidden' && Array.isArray(message.nodes)) {
    isHidden = new Set(message.nodes.filter(isNode));
    redrawLines();
  }
};

const labelsForFrame = () => {
  const runs = [];
  const add = (n, name, start, end) => runs.push([n, name, start, end]);
  for (let n = 0; n < page.texts.length; n += 1) {
    const shown = shownOf(n);
    if (shown.how) add(n, classOf(shown), 0, page.texts[n].length);
    for (const piece of piecesOf.get(n) || []) add(n, `k-${kind(piece[3])}`, piece[4], piece[5]);
  }
  return runs;
};

const showPageView = () => {
  const part = at('page-part');
  part.hidden = !(viewOn && canView());
  frameSeen = [];
  if (part.hidden) return;
  const frame = at('frame');
  port = null;
  frame.onload = () => {
    const channel = new MessageChannel();
    channel.port1.onmessage = event => fromFrame(event.data);
    frame.contentWindow.postMessage({ do: 'begin' }, '*', [channel.port2]);
    port = channel.port1;
    tellFrame({ do: 'page', page: page.id, tree: page.tree, texts: page.texts, labels: labelsForFrame() });
    if (choice) tellFrame({ do: 'choose', a: choice.a, b: choice.b, scroll: true });
  };
  frame.src = '/frame';
};
const showFrameLabels = () => {
  if (port && !at('page-part').hidden) tellFrame({ do: 'labels', labels: labelsForFrame() });
};
const toggleView = () => {
  viewOn = !viewOn;
  localStorage.setItem('view', viewOn ? '1' : '0');
  if (viewOn && page && !canView()) say('highlights' in CSS ? W().tooLarge : W().noHighlight);
  showPageView();
};
