using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Workers;

/// <summary>Runs a batch of items in each round, from the first submission to the end of the last.</summary>
/// <param name="rival">Its name.</param>
/// <param name="items">How many items a batch has.</param>
/// <param name="work">What an item does.</param>
/// <param name="start">Creates the runner.</param>
#pragma warning disable CA1001 // Stop ends what Start makes.
internal sealed class JobContender(string rival, int items, Func<long> work, Func<Job, Runner> start) : Contender(rival)
#pragma warning restore CA1001
{
    private Job? _job;
    private Runner? _runner;
    private long _sum;
    private int _threads;

    public override long Sum => _sum;

    public override int? ItemThreads => _threads;

    public override long? FixedCalls => 1;

    public override void Start(int workers)
    {
        _job = new Job(work);
        _runner = start(_job);
    }

    public override void Work(int worker, long calls)
    {
        var (job, post) = (_job!, _runner!.Post);
        for (var call = 0L; call < calls; call++)
        {
            job.Begin(items);
            for (var i = 0; i < items; i++)
            {
                post();
            }

            job.Wait();
        }

        _threads = job.Threads;
    }

    public override long OperationsIn(long calls) => items * calls;

    public override void Stop()
    {
        _sum += _job?.Sum ?? 0;
        _runner?.Owner?.Dispose();
        _job?.Dispose();
        (_runner, _job) = (null, null);
    }
}
