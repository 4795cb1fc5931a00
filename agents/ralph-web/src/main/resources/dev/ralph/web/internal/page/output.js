// Long texts, of which only a limited part is rendered.

import {clean, printed, h, button} from './dom.js';

/** The least number of lines and characters to keep. */
const LINES = 500, CHARACTERS = 50000;

/** How much more text is kept while a person reads earlier lines. */
const KEPT = 10;

/** The size of a block. A new line changes the layout of one block only. */
const BLOCK_LINES = 100, BLOCK_CHARACTERS = 10000;

/** Returns the index after at most the given number of lines, and the number of lines. */
function lineEnd(text, from, lines, characters) {
  let end = from, count = 0;
  while (count < lines && end < text.length && end - from < characters) {
    const next = text.indexOf('\n', end);
    end = next < 0 ? text.length : next + 1;
    if (next >= 0) count++;
  }
  return [Math.min(end, from + CHARACTERS), count];
}

/** The end of a growing text, such as the output of an agent, rendered once per frame. */
export class Output {
  #element; #cut;
  #blocks = [];
  #lines = 0;
  #length = 0;
  #waiting = [];
  #waitingLength = 0;
  #frame = 0;
  #last = null;
  #isFollowing = true;

  /** Called after text was added. */
  drawn = () => {};

  constructor(element) {
    this.#element = element;
    this.#cut = h('div', {class: 'quiet', hidden: true}, 'Earlier output is not shown here.');
    element.append(this.#cut);
    element.hidden = true;
  }

  clear() {
    for (const block of this.#blocks) block.element.remove();
    this.#blocks = [];
    this.#waiting = [];
    this.#lines = this.#length = this.#waitingLength = 0;
    this.#last = null;
    this.#cut.hidden = this.#element.hidden = true;
  }

  /** Adds text, below a title if the title has changed. */
  add(title, text) {
    const piece = {title, text: text.length > CHARACTERS ? text.slice(-CHARACTERS) : text};
    this.#waiting.push(piece);
    this.#waitingLength += piece.text.length;
    while (this.#waitingLength - this.#waiting[0].text.length > CHARACTERS) {
      this.#waitingLength -= this.#waiting.shift().text.length;
    }
    this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  /** Sets whether the end stays visible. */
  follow(isFollowing) {
    this.#isFollowing = isFollowing;
    if (isFollowing) this.#element.scrollTop = this.#element.scrollHeight;
  }

  /** Follows the end if a person has scrolled to it, and returns whether it does. */
  scrolled() { return this.#isFollowing = this.#isAtEnd(); }

  #isAtEnd() {
    const {scrollHeight, scrollTop, clientHeight} = this.#element;
    return scrollHeight - scrollTop - clientHeight < 40;
  }

  #draw() {
    const element = this.#element;
    this.#frame = 0;
    if (!this.#waiting.length) return;
    element.hidden = false;
    const atEnd = this.#isFollowing && (!this.#blocks.length || this.#isAtEnd());
    const [lines, characters] = this.#isFollowing ? [LINES, CHARACTERS] : [KEPT * LINES, KEPT * CHARACTERS];
    for (const {title, text} of this.#waiting) {
      if (title !== this.#last && title) this.#append(title + '\n', true);
      this.#last = title;
      this.#append(clean(printed(text)), false);
    }
    this.#waiting = [];
    this.#waitingLength = 0;
    for (let first = this.#blocks[0]; this.#blocks.length > 1
        && (this.#lines - first.lines >= lines || this.#length - first.length >= characters); first = this.#blocks[0]) {
      this.#blocks.shift().element.remove();
      this.#lines -= first.lines;
      this.#length -= first.length;
      this.#cut.hidden = false;
    }
    if (atEnd) element.scrollTop = element.scrollHeight;
    this.drawn();
  }

  #append(text, isTitle) {
    for (let from = 0; from < text.length;) {
      let block = this.#blocks.at(-1);
      if (!block || isTitle || block.isTitle || block.ended && (block.lines >= BLOCK_LINES || block.length >= BLOCK_CHARACTERS)) {
        block = {element: h(isTitle ? 'b' : 'div', {}), lines: 0, length: 0, isTitle};
        this.#element.append(block.element);
        this.#blocks.push(block);
      }
      const [end, lines] = lineEnd(text, from, Math.max(1, BLOCK_LINES - block.lines), BLOCK_CHARACTERS);
      block.element.append(document.createTextNode(text.slice(from, end)));
      block.ended = text[end - 1] === '\n';
      block.lines += lines;
      block.length += end - from;
      this.#lines += lines;
      this.#length += end - from;
      from = end;
    }
  }
}

/** Adds the beginning of a text to an element, and a button that adds more of a long text. */
export function slices(element, text) {
  let from = 0;
  const next = () => {
    const [end] = lineEnd(text, from, LINES, CHARACTERS);
    element.append(text.slice(from, end));
    from = end;
    more.hidden = from >= text.length;
  };
  const more = button('Show more', 'more-text', next, {class: 'plain'});
  next();
  return [element, more];
}
