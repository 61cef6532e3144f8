using Poolhouse.Resources;

namespace Poolhouse.Internal;

/// <summary>For a pool that is nothing but a part of another: it is told of nowhere.</summary>
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

    public override void RecordUseTime(IPool pool, TimeSpan time)
    {
    }
}
