namespace Poolhouse.Kernel;

/// <summary>A pool that was added to its reporter: removed once, however often and by whatever the pool is closed.</summary>
internal sealed class PoolReport
{
    private readonly PoolReporter _reporter;
    private readonly IPool _pool;
    private int _ended;

    public PoolReport(PoolReporter reporter, IPool pool)
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
