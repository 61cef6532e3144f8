namespace Poolhouse.Tests;

/// <summary>The same "random" number each time: as large as can be, unless a test says otherwise.</summary>
internal sealed class FixedRandom : Random
{
    public double Value { get; set; } = 1;

    public override double NextDouble() => Value;
}
