namespace Poolhouse.Tool.Bench.Charts;

/// <summary>One line, or one bar of every group.</summary>
/// <param name="Name">What it shows; the direct label and the table's column.</param>
/// <param name="Colour">Its index in the <see cref="Palette"/>, the same for a rival in every chart.</param>
/// <param name="Points">By ascending x.</param>
internal sealed record Series(string Name, int Colour, IReadOnlyList<Point> Points);
