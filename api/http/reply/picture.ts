import type { AnyCall } from '../handlers.ts';

const SVG = 'image/svg+xml';

export const VARIES = { Vary: 'Accept' } as const;

export function wantsPicture(accepts: AnyCall['accepts']): boolean {
  return accepts(['application/json', SVG]) === SVG;
}

/** An SVG can contain scripts, which the content security policy forbids. */
export function picture(svg: string) {
  const headers = { ...VARIES, 'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'" };
  return { status: 200, contentType: SVG, raw: svg, headers } as const;
}
