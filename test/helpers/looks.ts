import type { Page } from 'puppeteer-core';

export const LOOKS = (['light', 'dark'] as const).flatMap((scheme) =>
  ([1_280, 375] as const).map((width) => ({ scheme, width })),
);

/** Ends transitions, so that colours are those of the new look at once. */
export async function lookAs(page: Page, { scheme, width }: { scheme: string; width: number }): Promise<void> {
  await page.setViewport({ width, height: 800 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.evaluate(`for (const animation of document.getAnimations())
    if (animation instanceof CSSTransition) animation.finish();`);
}
