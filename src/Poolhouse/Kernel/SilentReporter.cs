namespace Poolhouse.Kernel;

/// <summary>The reporter of a pool that is part of another pool: it reports nothing.</summary>
internal sealed class SilentReporter : PoolReporter
{
    public static readonly SilentReporter Instance = new();

    public override bool RecordsWaits => false;

    public override bool RecordsUseTime => false;

    public override void Add(IPool pool)
    {
    }

    public override void Remove(IPool pool)
    {
    }

    public override void RecordWait(IPool pool, WaitOutcome outcome, TimeSpan time, bool synchronous)
    {
    }

    public override void RecordCreateTime(IPool pool, TimeSpan time)
    {
    }

    public override void RecordUseTime(IPool pool, TimeSpan time, string? label)
    {
    }
}
