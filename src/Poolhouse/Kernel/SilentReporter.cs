namespace Poolhouse.Kernel;

/// <summary>The reporter of a pool that is part of another pool: it reports nothing.</summary>
internal sealed class SilentReporter : PoolReporter
{
    public static readonly SilentReporter Instance = new();
}
