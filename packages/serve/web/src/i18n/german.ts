export const german = {} as const;
