'use strict';
(() => {
  // Shows one page, built from data. It has no token, fetches nothing, and tells its parent what a hand does.
  const nodes = [];
  let port = null;
  let id = null;
  let box = null;
  let chosen = null;
  const tell = message => port.postMessage({ ...message, page: id });

  const build = (tree, texts) => {
    const html = document.documentElement;
    document.head.replaceChildren(...document.head.querySelectorAll('style'));
    const open = [html, document.body];
    document.body.replaceChildren();
    for (const [depth, what, attributes, style] of tree) {
      open.length = Math.min(open.length, depth);
      const parent = open[depth - 1] || document.body;
      if (what === undefined) { parent.append(document.createTextNode(' ')); continue; }
      if (typeof what === 'number') {
        nodes[what] = document.createTextNode(texts[what]);
        parent.append(nodes[what]);
        continue;
      }
      const element = what === 'html' ? html : what === 'body' ? document.body : document.createElement(what);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      if (what === 'html' || what === 'body') { open[depth] = element; continue; }
      if (what === 'style') element.textContent = style;
      (what === 'style' ? document.head : parent).append(element);
      if (what !== 'style') open[depth] = element;
    }
    box = document.createElement('div');
    box.id = 'carat-choice';
    box.hidden = true;
    html.append(box);
  };

  const label = labels => {
    const ranges = new Map();
    for (const [n, name, start, end] of labels) {
      if (!nodes[n]) continue;
      const range = new StaticRange({ startContainer: nodes[n], startOffset: start, endContainer: nodes[n], endOffset: end });
      if (!ranges.has(name)) ranges.set(name, []);
      ranges.get(name).push(range);
    }
    CSS.highlights.clear();
    for (const [name, list] of ranges) CSS.highlights.set(name, new Highlight(...list.slice(0, 60000)));
  };

  const place = scroll => {
    if (!chosen) return;
    const first = nodes[chosen[0]];
    const last = nodes[chosen[1]];
    const range = document.createRange();
    range.setStart(first, 0);
    range.setEnd(last, last.length);
    const found = range.getBoundingClientRect();
    box.hidden = !found.width && !found.height;
    const style = box.style;
    style.left = `${found.left + scrollX - 4}px`;
    style.top = `${found.top + scrollY - 4}px`;
    style.width = `${found.width + 8}px`;
    style.height = `${found.height + 8}px`;
    if (scroll && !box.hidden && (found.top < 0 || found.bottom > innerHeight)) {
      scrollTo({ top: found.top + scrollY - innerHeight / 3, left: Math.max(0, found.left + scrollX - innerWidth / 2) });
    }
  };

  const rectOf = node => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  const hidden = () => {
    const found = [];
    nodes.forEach((node, n) => {
      const { width, height } = rectOf(node);
      if (!width || !height || !node.parentElement.checkVisibility({ opacityProperty: true, visibilityProperty: true })) found.push(n);
    });
    tell({ do: 'hidden', nodes: found });
  };
  const seen = () => {
    if (!port || document.hidden) return;
    const found = [];
    let before = false;
    nodes.forEach((node, n) => {
      if (found.length > 2000) return;
      const { top, bottom, width, height } = rectOf(node);
      if (width && height && bottom > 0 && top < innerHeight) found.push(n);
      before = true;
    });
    if (before) tell({ do: 'seen', nodes: found });
  };

  const numberAt = (x, y) => {
    const caret = document.caretPositionFromPoint
      ? document.caretPositionFromPoint(x, y)
      : document.caretRangeFromPoint(x, y);
    const node = caret && (caret.offsetNode || caret.startContainer);
    const known = nodes.indexOf(node);
    if (known >= 0) return known;
    const element = document.elementFromPoint(x, y);
    return element ? nodes.findIndex(text => text && element.contains(text)) : -1;
  };
  const selection = () => {
    const found = getSelection();
    if (found.isCollapsed || !found.rangeCount) return false;
    const range = found.getRangeAt(0);
    const inside = nodes.map((node, n) => n).filter(n => nodes[n] && range.intersectsNode(nodes[n]));
    if (!inside.length) return false;
    const a = inside[0];
    const b = inside[inside.length - 1];
    const start = range.startContainer === nodes[a] ? range.startOffset : 0;
    const end = range.endContainer === nodes[b] ? range.endOffset : nodes[b].length;
    tell({ do: 'select', a, start, b, end });
    found.removeAllRanges();
    return true;
  };

  const listen = () => {
    document.addEventListener('mouseup', event => {
      if (event.button !== 0 || selection()) return;
      const n = numberAt(event.clientX, event.clientY);
      if (n >= 0) tell({ do: 'click', n, alt: event.altKey });
    });
    document.addEventListener('click', event => event.preventDefault());
    document.addEventListener('keydown', event => {
      if (event.metaKey || ['PageUp', 'PageDown', 'Home', 'End', 'Tab'].includes(event.key)) return;
      event.preventDefault();
      tell({ do: 'key', key: event.key, code: event.code, shift: event.shiftKey, ctrl: event.ctrlKey, alt: event.altKey });
    });
    addEventListener('resize', () => place(false));
    setInterval(seen, 500);
  };

  const take = message => {
    if (message.do === 'page') {
      id = message.page;
      build(message.tree, message.texts);
      label(message.labels);
      listen();
      requestAnimationFrame(() => setTimeout(hidden, 0));
    }
    if (message.do === 'labels') label(message.labels);
    if (message.do === 'choose' && nodes[message.a] && nodes[message.b]) {
      chosen = [message.a, message.b];
      place(message.scroll);
    }
  };
  addEventListener('message', event => {
    if (port || event.source !== parent || event.origin !== location.origin || event.ports.length !== 1) return;
    [port] = event.ports;
    port.onmessage = told => take(told.data);
  });
})();
