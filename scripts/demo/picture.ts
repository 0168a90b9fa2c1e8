/** PNG files (RFC 2083): true color, without filters. */
import { crc32, deflateSync } from 'node:zlib';

type Color = readonly [number, number, number];

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const SUNSET: Color = [255, 214, 150];
const SUN: Color = [255, 246, 214];

/** Hills at sunset in shades of the color `#rrggbb`. */
export function landscape(color: string): Buffer {
  const base = parse(color);
  const [width, height] = [560, 200];
  return png(width, height, (x, y) => {
    if (y > 150 + 22 * Math.sin(x / 70)) return mix(base, [0, 0, 0], 0.45);
    if (y > 118 + 26 * Math.sin(x / 110 + 2)) return mix(base, [0, 0, 0], 0.15);
    if ((x - 400) ** 2 + (y - 84) ** 2 < 30 ** 2) return SUN;
    return mix(mix(base, [255, 255, 255], 0.55), SUNSET, y / height);
  });
}

/** A disc in the color `#rrggbb`. */
export function logo(color: string): Buffer {
  const base = parse(color);
  const size = 40;
  const middle = (size - 1) / 2;
  return png(size, size, (x, y) => {
    const distance = Math.hypot(x - middle, y - middle);
    return distance < 12 ? mix(base, [255, 255, 255], 0.75) : base;
  });
}

function parse(color: string): Color {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function mix(one: Color, other: Color, share: number): Color {
  const part = (a: number, b: number) => Math.round(a + (b - a) * share);
  return [part(one[0], other[0]), part(one[1], other[1]), part(one[2], other[2])];
}

function png(width: number, height: number, pixel: (x: number, y: number) => Color): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const rows = Buffer.alloc(height * (1 + 3 * width));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      rows.set(pixel(x, y), y * (1 + 3 * width) + 1 + 3 * x);
    }
  }
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND')];
  return Buffer.concat([SIGNATURE, ...chunks]);
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
