export const createElement: (type: any, props: any, ...children: any[]) => any;
export const render: (node: any, into: Element) => void;
export const htm: { bind(create: typeof createElement): (strings: TemplateStringsArray, ...values: any[]) => any };
export const useState: <T>(first: T) => [T, (next: T | ((old: T) => T)) => void];
export const useEffect: (does: () => void | (() => void), after: any[]) => void;
export const useRef: <T>(first: T) => { current: T };
