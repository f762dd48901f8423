// Polygons that stand where their placements say.

@group(0) @binding(5) var<storage, read_write> figures: array<FigureRecord>;

fn moved(i: u32, v: Block) -> Block {
  return v;
}
