namespace Poolhouse.Resources.Engine.Core;

/// <summary>The registration of a pool with its reporter, which ends once, however often the pool is closed.</summary>
internal sealed class ReporterRegistration
{
    private readonly PoolReporter _reporter;
    private readonly IPool _pool;
    private int _ended;

    public ReporterRegistration(PoolReporter reporter, IPool pool)
    {
        _reporter = reporter;
        _pool = pool;
        reporter.Add(pool);
    }

    public void End()
    {
        if (Interlocked.Exchange(ref _ended, 1) == 0)
        {
            _reporter.Remove(_pool);
        }
    }
}
