//! Parsing beside html5ever with RcDom: pages put together at random, so that every construct stands
//! in every place, also across the borders of what is fed to the tokenizer at once.

use carat::page::parse::parse;
use proptest::prelude::*;

/// Constructs, plain and odd; what follows another may change its meaning.
const PARTS: &[&str] = &[
    "a",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\0",
    "\u{FEFF}",
    "中文 text",
    "&amp;",
    "&copy",
    "&#10;",
    "&#x41;x",
    "&",
    "<",
    "< a",
    "a<b",
    "<p>",
    "</p>",
    "<P CLASS=A Title='x'>",
    "<br/>",
    "<br / >",
    "<div / a>",
    "<a href=b>",
    "<a href=\"?a=b&amp;c\">",
    "</a>",
    "<a href=\"?a=b&c=d\" b='\r\n'>",
    "<a\rb\r=\rc\r>",
    "<a b=c\0d>",
    "<a b = 'c'd=\"e\"f>",
    "<a b\tc>",
    "<a b\u{c}c>",
    "<a\u{b}b>",
    "<a b\0c>",
    "<a =b>",
    "<a b=>",
    "<a b==c>",
    "<a b\"c>",
    "<a b=c d=e b=f>",
    "<a b=\"c",
    "<a b='",
    "<a b",
    "<a ",
    "<a",
    "</",
    "</a b=c>",
    "</>",
    "</ a>",
    "<b\0>",
    "<B>",
    "</b>",
    "<i>",
    "</i>",
    "<nobr>",
    "<font color=red>",
    "</font>",
    "<my-tag:x>",
    "<caf\u{e9} \u{e9}=\u{e9} \u{c9}=y>",
    "<!-- a -->",
    "<!---->",
    "<!-->",
    "<!--->",
    "<!--a--!>b-->",
    "<!--a--->",
    "<!--<!--a-->",
    "<!-- - -- -->",
    "<!--\0\r-->",
    "<!--",
    "<!-",
    "<!",
    "<!x>",
    "<?x?>",
    "<!doctype html>",
    "<![CDATA[x<y]]>",
    "-->",
    "<script>",
    "<SCRIPT>",
    "<script><!--<script>",
    "</script>",
    "</SCRIPT >",
    "</script",
    "</scripty>",
    "</scr",
    "if (a<b) c",
    "\u{FEFF}x",
    "<style>",
    "</style>",
    "<title>",
    "</title>",
    "<textarea>\n",
    "<textarea>",
    "</textarea>",
    "<xmp>",
    "</xmp>",
    "<noscript>",
    "</noscript>",
    "<iframe>",
    "</iframe>",
    "<noembed>",
    "</noembed>",
    "<noframes>",
    "</noframes>",
    "<meta charset=utf-8>",
    "<meta name=a>",
    "<plaintext>",
    "<pre>\n",
    "<pre>\r\n",
    "<listing>",
    "</pre>",
    "<head>",
    "</head>",
    "<body id=a>",
    "</body>",
    "<html lang=a>",
    "</html>",
    "<frameset>",
    "<frame>",
    "</frameset>",
    "<table>",
    "<tr>",
    "<td>",
    "<caption>",
    "<colgroup>",
    "<col>",
    "</table>",
    "</td>",
    "</tr>",
    "<input type=hidden>",
    "<select>",
    "<option>",
    "<optgroup>",
    "</select>",
    "<template>",
    "</template>",
    "<form>",
    "</form>",
    "<button>",
    "<li>",
    "<dd>",
    "<dt>",
    "<ruby>",
    "<rt>",
    "<h1>",
    "</h2>",
    "<image>",
    "<svg>",
    "<svg viewbox=a xlink:href=b>",
    "<foreignObject>",
    "<desc>",
    "<g/>",
    "<g / a>",
    "</svg>",
    "<math>",
    "<mi>",
    "<annotation-xml encoding=text/html>",
    "</math>",
];

fn page() -> impl Strategy<Value = String> {
    // The tokenizer is fed 16 KiB at a time.
    let before = prop_oneof![Just(0_usize), 16_250..16_390_usize];
    (before, prop::collection::vec(prop::sample::select(PARTS), 0..60)).prop_map(|(before, parts)| match before {
        0 => parts.concat(),
        _ => format!("<br>{}{}", "x".repeat(before), parts.concat()),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn trees_of_random_pages_are_those_of_rcdom(page in page()) {
        crate::trees::assert_same(&parse(&page).unwrap().tree, &page, &format!("{page:?}"));
    }
}

/// Behind a start tag of any name the page goes on as the standard says.
#[test]
fn every_element_leaves_the_tokenizer_where_it_should_be() {
    let names = "a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption \
        center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset \
        figcaption figure font footer form frame frameset h1 h6 head header hgroup hr html i iframe image img input \
        ins kbd keygen label legend li link listing main map mark marquee math menu meta meter nav nobr noembed \
        noframes noscript object ol optgroup option output p param picture plaintext pre progress q rb rp rt rtc \
        ruby s samp script search section select selectedcontent slot small source span strike strong style sub \
        summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp";
    for name in names.split_whitespace() {
        for around in ["", "<div>", "<table>", "<table><tr><td>", "<svg>", "<svg><title>", "<select>", "<template>"] {
            let page = format!("<p>{around}<{name} a=b>\n<b>x</b>&amp;<!--y--></{name}><i>z</{name}>");
            crate::trees::assert_same(&parse(&page).unwrap().tree, &page, &page);
        }
    }
}
