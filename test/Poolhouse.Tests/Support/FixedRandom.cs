namespace Poolhouse.Tests;

/// <summary>Always the same "random" number: the largest possible, unless a test sets another.</summary>
internal sealed class FixedRandom : Random
{
    public double Value { get; set; } = 1;

    /// <summary>Called at the next numbers.</summary>
    public Action? Drawn { get; set; }

    public override double NextDouble()
    {
        Drawn?.Invoke();
        return Value;
    }
}
