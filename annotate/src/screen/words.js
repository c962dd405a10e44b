// Words of the screen, in both languages.
const WORDS = {
  en: {
    content: 'content', not: 'not', unsure: 'unsure', role: 'role', clear: 'clear', undo: 'undo', redo: 'redo', accept: 'accept',
    done: 'done', previous: 'previous page', next: 'next page', view: 'page view', text: 'gold text', faulty: 'faulty',
    note: 'comment', why: 'why', sentences: 'sentences', larger: 'larger', smaller: 'smaller', guidelines: 'guidelines',
    help: 'help', language: '中文', close: 'close', save: 'save', find: 'find', lines: 'Lines of the page', pageView: 'The page',
    bar: 'Actions', left: 'left', right: 'right', progress: 'Pages done or faulty',
    finished: (done, faulty, pages) => `${done} done${faulty ? `, ${faulty} faulty` : ''} of ${pages}`, hidden: 'hidden', none: 'no label', disputed: 'disputed',
    proposed: 'proposed', characters: n => `${n} character${n === 1 ? '' : 's'}`, inherited: 'inherited', own: 'marked here',
    line: n => `line ${n}`, goldIs: n => `gold ${n} character${n === 1 ? '' : 's'}`,
    unlabelled: n => `${n} text node${n === 1 ? '' : 's'} without a label`, unseen: n => `${n} never on the screen`,
    saved: 'saved', cleared: 'cleared', nothing: 'nothing to do', gone: 'carat has ended. Start it again with the same command, and open the address that it prints.',
    noToken: 'The token of this start is missing. Open the address that carat printed.', stale: 'Changed in another tab; press again.',
    again: what => `${what}. Press Enter again to finish the page.`, accepted: n => `${n} proposed characters accepted`,
    isDone: 'page done', emptyGold: 'nothing is content, so the gold is empty (f: the page is faulty)', isFaulty: 'The page is called faulty; u takes that back.', allDone: 'Every page is done.', noSides: 'Still disputed: choose a label for it first.',
    skipped: f => `page called faulty: ${f}`, noHighlight: 'This browser cannot show marks on the page; the lines have all of it.',
    tooLarge: 'The page is too large for the page view; the lines have all of it.', roleKeys: 'A letter chooses the role',
    whyNone: 'Nothing is proposed here.', whyText: 'The same text at the same place, on finished pages of this site',
    whyPath: 'Text at the same place, on finished pages of this site', whyVote: 'Chosen by', whyGold: 'From the gold that the page has',
    whyAgreed: 'All annotators agree here.', singleKeys: 'Single keys work', fault: 'What is wrong with the page?', found: 'found', notFound: 'not found',
    settings: 'Settings', sidesAre: names => `the sides were ${names}`, f1: f => `its text nodes give it with F1 ${f}`, blank: 'drawn to have no proposal',
    keys: [
      ['j k ↓ ↑', 'next, previous line; with Shift extend the choice'], ['l h', 'next, previous line of 40 characters or more'],
      ['n N', 'next, previous line without a label'], ['p ←', 'larger range'], ['i →', 'back, then text by text'],
      ['s', 'sentences of the text'], ['/', 'find'], ['1 2 3', 'content, not, unsure; with Shift all inside too'],
      ['r and a letter', 'role; r ? lists them'], ['0 Delete', 'clear; with Shift all inside too'], ['a', 'accept the proposal'],
      ['x y', 'label of the left, right side (adjudicating)'], ['u Ctrl+Z', 'undo'], ['U Ctrl+Y', 'redo'], ['Enter', 'done, next page'],
      ['] [', 'next, previous page'], ['f', 'faulty page'], ['v', 'page view'], ['t', 'gold text'], ['w', 'why this is proposed'],
      ['g', 'guidelines'], ['c', 'comment'], ['?', 'this help'], ['Esc', 'close'],
    ],
  },
  zh: {
    content: '正文', not: '非正文', unsure: '不确定', role: '角色', clear: '清除', undo: '撤销', redo: '重做', accept: '接受', done: '完成',
    previous: '上一页', next: '下一页', view: '页面视图', text: '正文文本', faulty: '有问题', note: '备注', why: '原因', sentences: '句子',
    larger: '扩大', smaller: '缩小', guidelines: '准则', help: '帮助', language: 'English', close: '关闭', save: '保存', find: '查找',
    lines: '页面的各行', pageView: '页面', bar: '操作', left: '左', right: '右', progress: '已完成或有问题的页面',
    finished: (done, faulty, pages) => `共 ${pages} 页，完成 ${done}${faulty ? `，有问题 ${faulty}` : ''}`, hidden: '隐藏', none: '无标签',
    disputed: '有分歧', proposed: '建议', characters: n => `${n} 个字符`, inherited: '继承', own: '在此标记', line: n => `第 ${n} 行`,
    goldIs: n => `正文 ${n} 个字符`, unlabelled: n => `${n} 个文本节点无标签`, unseen: n => `${n} 个从未显示`, saved: '已保存', cleared: '已清除',
    nothing: '无可操作', gone: 'carat 已结束。请用同一命令重新启动，并打开它给出的地址。', noToken: '缺少本次启动的令牌。请打开 carat 给出的地址。',
    stale: '已在另一标签页更改，请再按一次。', again: what => `${what}。再按 Enter 完成本页。`, accepted: n => `接受了 ${n} 个建议字符`,
    isDone: '本页完成', emptyGold: '没有正文，正文文本为空（f：页面有问题）', isFaulty: '本页已标为有问题；按 u 撤销。', allDone: '所有页面均已完成。', noSides: '仍有分歧：请先选择标签。', skipped: f => `已标为有问题：${f}`,
    noHighlight: '此浏览器无法在页面上显示标记；各行中有全部内容。', tooLarge: '页面过大，无法显示页面视图；各行中有全部内容。', roleKeys: '按字母选择角色',
    whyNone: '此处没有建议。', whyText: '本站已完成页面中同一位置的相同文本', whyPath: '本站已完成页面中同一位置的文本', whyVote: '选中它的有',
    whyGold: '来自该页已有的正文', whyAgreed: '所有标注者在此一致。', singleKeys: '单键有效', fault: '这一页有什么问题？', found: '找到', notFound: '未找到',
    settings: '设置', sidesAre: names => `两侧为 ${names}`, f1: f => `其文本节点的 F1 为 ${f}`, blank: '抽中为无建议',
    keys: [
      ['j k ↓ ↑', '下一行、上一行；加 Shift 扩展选择'], ['l h', '下一个、上一个 40 字以上的行'], ['n N', '下一个、上一个无标签的行'], ['p ←', '扩大范围'],
      ['i →', '返回，然后逐个文本'], ['s', '文本的句子'], ['/', '查找'], ['1 2 3', '正文、非正文、不确定；加 Shift 包括内部'], ['r 加字母', '角色；r ? 列出'],
      ['0 Delete', '清除；加 Shift 包括内部'], ['a', '接受建议'], ['x y', '左侧、右侧的标签（裁定时）'], ['u Ctrl+Z', '撤销'], ['U Ctrl+Y', '重做'],
      ['Enter', '完成，下一页'], ['] [', '下一页、上一页'], ['f', '页面有问题'], ['v', '页面视图'], ['t', '正文文本'], ['w', '为何建议'], ['g', '准则'],
      ['c', '备注'], ['?', '本帮助'], ['Esc', '关闭'],
    ],
  },
};
let language = 'en';
const W = () => WORDS[language];
const at = id => document.getElementById(id);
const make = (name, properties = {}, children = []) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
