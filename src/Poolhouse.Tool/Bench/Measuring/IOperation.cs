namespace Poolhouse.Tool.Bench.Measuring;

/// <summary>The measured operation: one use of one rival. A struct, so that the JIT compiles a separate loop for each
/// rival.</summary>
internal interface IOperation
{
    /// <summary>How many rents with their returns one <see cref="Invoke"/> makes.</summary>
    int Operations { get; }

    /// <summary>Rents, uses and returns.</summary>
    /// <returns>Anything that depends on the work, so that none of it can be left out.</returns>
    long Invoke();
}
