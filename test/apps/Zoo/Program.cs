using System.Diagnostics;
using System.Globalization;
using Zoo;
using Zoo.Apps;

// Zoo NAME             does what the app does until its input ends
// Zoo NAME COUNT       does it so many times, and prints the bytes allocated and the connections opened each time
// Zoo NAME COUNT fixed the same after the change that 'poolhouse advise' recommends
// Zoo NAME busy        does it without a pause; for each line of its input, prints how often, and its processor time in seconds
// Zoo NAME half        the same, with pauses as long as the work
if (args is not [var name, ..] || Catalog.Find(name) is not { } entry)
{
    Console.Error.WriteLine($"Name an app: {string.Join(", ", Catalog.All.Select(each => each.Name))}.");
    return 2;
}

await using var app = args.Length > 2 ? entry.CreateFixed!() : entry.Create();
if (args is [_, "busy" or "half"])
{
    await WorkAsync(app, hasPauses: args is [_, "half"]);
    return 0;
}

if (args.Length > 1)
{
    await MeasureAsync(app, int.Parse(args[1], CultureInfo.InvariantCulture));
    return 0;
}

var ended = Task.Run(() => Console.In.ReadToEnd());
using var ticks = new PeriodicTimer(TimeSpan.FromMilliseconds(10));

// The first timer of a process starts a thread of .NET.
await ticks.WaitForNextTickAsync();
Console.WriteLine("ready");
var clock = Stopwatch.StartNew();
for (long done = 0; !ended.IsCompleted && await ticks.WaitForNextTickAsync();)
{
    // An app that is slower than it should be does not catch up for ever.
    var due = (long)(clock.Elapsed.TotalSeconds * app.PerSecond);
    for (done = Math.Max(done, due - app.PerSecond); done < due && !ended.IsCompleted; done++)
    {
        await app.DoAsync();
    }
}

return 0;

static async Task WorkAsync(App app, bool hasPauses)
{
    var burst = TimeSpan.FromMilliseconds(10);
    long times = 0;
    var ended = Task.Run(() =>
    {
        Console.WriteLine("ready");
        while (Console.In.ReadLine() is not null)
        {
            var used = Environment.CpuUsage.TotalTime.TotalSeconds;
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{Interlocked.Read(ref times)} {used:0.####}"));
        }
    });
    for (var began = Stopwatch.GetTimestamp(); !ended.IsCompleted;)
    {
        await app.DoAsync();
        Interlocked.Increment(ref times);
        if (hasPauses && Stopwatch.GetElapsedTime(began) is var worked && worked > burst)
        {
            await Task.Delay(worked, TimeProvider.System);
            began = Stopwatch.GetTimestamp();
        }
    }
}

static async Task MeasureAsync(App app, int count)
{
    for (var i = 0; i < 50; i++)
    {
        await app.DoAsync();
    }

    var (bytes, connections) = (GC.GetTotalAllocatedBytes(precise: true), app.Connections);
    for (var i = 0; i < count; i++)
    {
        await app.DoAsync();
    }

    Console.WriteLine(string.Create(
        CultureInfo.InvariantCulture,
        $"{(double)(GC.GetTotalAllocatedBytes(precise: true) - bytes) / count:0.###} " +
        $"{(double)(app.Connections - connections) / count:0.###}"));
}
