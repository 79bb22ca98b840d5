/** The dashboard of the member that serves this page, or whose group it shows; null where there is no member. */
export const dashboard: string | null =
  document.querySelector<HTMLMetaElement>('meta[name="latchkey-dashboard"]')?.content ?? null;
