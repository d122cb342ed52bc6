import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

interface ChartProps {
  readonly label: string;
  /** Ascending, since the epoch. */
  readonly seconds: readonly number[];
  readonly series: readonly {
    readonly label: string;
    /** A custom property of the style sheet. */
    readonly colour: string;
    readonly values: readonly number[];
  }[];
  readonly isPoints?: boolean;
}

const HEIGHT = 200;
const DAY_S = 86_400;

/** A plot over time. What it shows is also there as text; it is a picture to screen readers. */
export function Chart({ label, seconds, series, isPoints = false }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const parent = box.current;
    if (parent === null) return undefined;
    let plot: uPlot | undefined;
    const draw = (): void => {
      plot?.destroy();
      plot = new uPlot(optionsOf(series, parent.clientWidth, isPoints), dataOf(seconds, series), parent);
    };
    draw();
    const resized = new ResizeObserver(() => plot?.setSize({ width: parent.clientWidth, height: HEIGHT }));
    resized.observe(parent);
    const recoloured = new MutationObserver(draw);
    recoloured.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      resized.disconnect();
      recoloured.disconnect();
      plot?.destroy();
    };
  }, [seconds, series, isPoints]);
  return <div class="chart" ref={box} role="img" aria-label={label} />;
}

function dataOf(seconds: ChartProps["seconds"], series: ChartProps["series"]): uPlot.AlignedData {
  return [[...seconds], ...series.map(({ values }) => [...values])];
}

function optionsOf(series: ChartProps["series"], width: number, isPoints: boolean): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name);
  const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 } };
  return {
    width,
    height: HEIGHT,
    series: [
      {},
      ...series.map(({ label, colour: name }) => ({
        label,
        stroke: colour(name),
        width: 2,
        points: { size: 5, ...(isPoints ? { show: true } : {}) },
        ...(isPoints ? { paths: () => null } : {}),
      })),
    ],
    scales: {
      x: {
        range: (_: uPlot, first: number, last: number) =>
          first < last ? [first, last] : [first - DAY_S, last + DAY_S],
      },
      y: { range: (_: uPlot, __: number, most: number) => [0, Math.max(1, most) * 1.1] },
    },
    axes: [axis, isPoints ? axis : { ...axis, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] }],
  };
}
