using System.Diagnostics;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Tool.Bench.Fleets;

/// <summary>A running <see cref="FleetMember"/>, and what it has reported.</summary>
internal sealed class FleetProcess : IAsyncDisposable
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(20);

    private readonly Process _process;
    private readonly Func<double> _now;
    private readonly Task _reading;
    private readonly List<double> _refusals = [];
    private readonly List<double> _failures = [];
    private readonly TaskCompletionSource _trying = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private FleetProcess(string name, Process process, Func<double> now)
    {
        (Name, _process, _now) = (name, process, now);
        _reading = Task.Run(ReadAsync);
    }

    public string Name { get; }

    /// <summary>When its callers came, in seconds; not a number before.</summary>
    public double TryingAt { get; private set; } = double.NaN;

    /// <summary>When the first of them was served; infinity before.</summary>
    public double FirstAt { get; private set; } = double.PositiveInfinity;

    /// <summary>How many callers were served, as it has reported at its end.</summary>
    public int Served { get; private set; }

    /// <summary>When callers saw that there was no place.</summary>
    public IReadOnlyList<double> Refusals => Copy(_refusals);

    /// <summary>When callers saw another error.</summary>
    public IReadOnlyList<double> Failures => Copy(_failures);

    /// <param name="name">Of its sessions.</param>
    /// <param name="rival">Whose pool it uses.</param>
    /// <param name="pool">The connection string of the pool.</param>
    /// <param name="budget">That of the session with which it takes part in a budget.</param>
    /// <param name="now">The clock, in seconds.</param>
    public static FleetProcess Start(string name, string rival, string pool, string budget, Func<double> now)
    {
        // Not the program that runs: the tool may be installed, and a test runs it inside another one.
        var runtime = System.Runtime.InteropServices.RuntimeEnvironment.GetRuntimeDirectory();
        var dotnet = Path.GetFullPath(
            Path.Combine(runtime, "..", "..", "..", OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet"));
        var start = new ProcessStartInfo(dotnet, [typeof(FleetProcess).Assembly.Location, FleetMember.Verb, rival])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        start.Environment[FleetMember.PoolVariable] = pool;
        start.Environment[FleetMember.BudgetVariable] = budget;
        return new FleetProcess(name, Process.Start(start)!, now);
    }

    /// <summary>Waits until its callers come.</summary>
    /// <exception cref="ServerFailedException">It has ended, or takes too long.</exception>
    public async Task BeginAsync(CancellationToken cancellation)
    {
        try
        {
            await _trying.Task.WaitAsync(_patience, cancellation).ConfigureAwait(false);
        }
        catch (TimeoutException exception)
        {
            throw new ServerFailedException("A process of the fleet did not start.", exception);
        }
    }

    public void Signal(string name) => ServerCommand.Signal(name, _process.Id);

    /// <summary>Ends it without warning, as kill -9 does.</summary>
    public Task KillAsync()
    {
        _process.Kill();
        return _process.WaitForExitAsync(CancellationToken.None);
    }

    /// <summary>Ends it in order.</summary>
    public async Task EndAsync()
    {
        using var late = new CancellationTokenSource(_patience);
        try
        {
            _process.StandardInput.Close();
            await _process.WaitForExitAsync(late.Token).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is OperationCanceledException or IOException)
        {
            _process.Kill();
        }

        await _reading.ConfigureAwait(false);
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        await _reading.ConfigureAwait(false);
        _process.Dispose();
    }

    private async Task ReadAsync()
    {
        while (await _process.StandardOutput.ReadLineAsync(CancellationToken.None).ConfigureAwait(false) is { } line)
        {
            var now = _now();
            switch (line.Split(' '))
            {
                case [FleetMember.Trying]:
                    TryingAt = now;
                    _trying.TrySetResult();
                    break;
                case [FleetMember.First]:
                    FirstAt = Math.Min(FirstAt, now);
                    break;
                case [FleetMember.Served, var count]:
                    Served = int.Parse(count, System.Globalization.CultureInfo.InvariantCulture);
                    break;
                case [FleetMember.Refused]:
                    Add(_refusals, now);
                    break;
                case [FleetMember.Failed, ..]:
                    Add(_failures, now);
                    break;
            }
        }

        _trying.TrySetException(new ServerFailedException("A process of the fleet ended at its start."));
    }

    private static void Add(List<double> times, double now)
    {
        lock (times)
        {
            times.Add(now);
        }
    }

    private static List<double> Copy(List<double> times)
    {
        lock (times)
        {
            return [.. times];
        }
    }
}
