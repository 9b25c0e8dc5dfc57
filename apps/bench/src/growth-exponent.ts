/**
 * Returns how a cost grows with a size: the slope of a least-squares line through the logarithms of both. 0 is
 * constant, 1 is linear, 2 is quadratic. Null for fewer than two different sizes.
 */
export function growthExponent(points: readonly { readonly size: number; readonly cost: number }[]): number | null {
  const logs = points
    .filter(({ size, cost }) => size > 0 && cost > 0)
    .map(({ size, cost }) => [Math.log(size), Math.log(cost)]);
  const mean = (axis: 0 | 1): number => logs.reduce((sum, point) => sum + (point[axis] ?? 0), 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  let across = 0;
  let along = 0;
  for (const [size = 0, cost = 0] of logs) {
    across += (size - x) * (cost - y);
    along += (size - x) ** 2;
  }
  return along > 0 ? across / along : null;
}
