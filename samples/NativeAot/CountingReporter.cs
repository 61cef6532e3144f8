namespace Poolhouse.Samples.NativeAot;

/// <summary>Counts pools, and passes every call on to the usual instruments.</summary>
internal sealed class CountingReporter : PoolReporter
{
    private readonly PoolReporter _usual = Of(meter: null, meterFactory: null);

    public int Pools { get; private set; }

    public override bool RecordsWaits => _usual.RecordsWaits;

    public override bool RecordsUseTime => _usual.RecordsUseTime;

    public override void Add(IPool pool)
    {
        Pools++;
        _usual.Add(pool);
    }

    public override void Remove(IPool pool) => _usual.Remove(pool);

    public override void RecordWait(IPool pool, WaitOutcome outcome, TimeSpan time, bool synchronous) =>
        _usual.RecordWait(pool, outcome, time, synchronous);

    public override void RecordCreateTime(IPool pool, TimeSpan time) => _usual.RecordCreateTime(pool, time);

    public override void RecordUseTime(IPool pool, TimeSpan time, string? label) => _usual.RecordUseTime(pool, time, label);
}
