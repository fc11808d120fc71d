/** Text that is HTML already. */
class Html {
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

/** A piece of HTML; whatever is put in that isn't one itself is escaped, lists are joined. */
export function html(strings, ...values) {
  return new Html(strings.reduce((page, string, i) => page + partOf(values[i - 1]) + string));
}

/** A style sheet, as it is. */
export function css(text) {
  // The only thing that ends a style element: https://html.spec.whatwg.org/#cdata-rcdata-restrictions
  if (/<\/style/i.test(text)) throw new TypeError('a style sheet may not hold </style');
  return new Html(text);
}

function partOf(value) {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(partOf).join('');
  if (value === null || value === undefined) return '';
  return escaped(String(value));
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]);
