namespace Poolhouse.Tests;

/// <summary>Always the same "random" number: the largest possible, unless a test sets another.</summary>
internal sealed class FixedRandom : Random
{
    public double Value { get; set; } = 1;

    public override double NextDouble() => Value;
}
