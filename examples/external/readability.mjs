// Mozilla's Readability as a worker of carat.    npm install @mozilla/readability linkedom
//   carat run --dataset DATASET --external 'node examples/external/readability.mjs'
// With jsdom in linkedom's place (see dom below) it is slower, and right on pages that begin without <html>.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

console.log = console.info = console.error; // the protocol has stdout for itself
const require = createRequire(process.cwd() + "/"); // node_modules of the folder that it is started in
const { Readability } = require("@mozilla/readability");
const { parseHTML } = require("linkedom");
const dom = (html) => parseHTML(html).document; // jsdom: new (require("jsdom").JSDOM)(html).window.document

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");
const { version } = require("@mozilla/readability/package.json");
// With `as_html` true the article goes back as HTML, and carat renders it like every other extraction.
say({ carat: 1, name: "readability-js", version, parameters: { as_html: { type: "bool", default: false } } });
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const { id, html, parameters } = JSON.parse(line);
  try {
    const article = new Readability(dom(html)).parse();
    say(parameters.as_html ? { id, html: article?.content ?? "" } : { id, text: article?.textContent ?? "" });
  } catch (error) {
    say({ id, error: String(error) });
  }
}
