/** The common design of the sample mails. */
export interface Design {
  brand: string;
  colour: string;
  heading: string;
  body: string;
  foot: string;
}

export function designed({ brand, colour, heading, body, foot }: Design): string {
  return `<!doctype html><html><head><meta name="color-scheme" content="light dark"><style>
body { margin: 0; padding: 28px 16px; background: #f3f5f4; color: #1b2420; font: 15px/1.6 'Helvetica Neue', Arial, sans-serif }
.card { max-width: 520px; margin: 0 auto; padding: 34px 36px; border-radius: 14px; background: #fff }
.brand { margin: 0 0 26px; font-size: 15px; font-weight: bold; letter-spacing: -.2px; color: ${colour} }
h1 { margin: 0 0 12px; font-size: 25px; line-height: 1.25; letter-spacing: -.5px }
p { margin: 0 0 16px }
.code { margin: 22px 0; padding: 16px; border-radius: 10px; background: #f0f4f2; font: bold 30px/1 'Liberation Mono', monospace; letter-spacing: 9px; text-align: center }
.button { display: inline-block; padding: 12px 22px; border-radius: 9px; background: ${colour}; color: #fff; font-weight: bold; text-decoration: none }
table { width: 100%; margin: 18px 0; border-collapse: collapse }
td { padding: 10px 0; border-bottom: 1px solid #e4e9e6 }
td:last-child { text-align: right }
.total td { border: 0; font-weight: bold }
.foot { max-width: 520px; margin: 18px auto 0; font-size: 12px; color: #66716b; text-align: center }
@media (prefers-color-scheme: dark) {
  body { background: #101614; color: #e4ebe7 }
  .card { background: #1a2320 }
  .code { background: #26322d }
  td { border-color: #2d3934 }
  .foot { color: #93a099 }
}
</style></head><body><div class="card"><p class="brand">${brand}</p><h1>${heading}</h1>${body}</div>
<p class="foot">${foot}</p></body></html>`;
}
