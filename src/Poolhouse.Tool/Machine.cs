using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using System.Runtime;
using System.Runtime.InteropServices;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Tool;

/// <summary>Where and when a run was measured.</summary>
internal sealed record Machine
{
    private const string CpuInfo = "/proc/cpuinfo";

    public required DateTimeOffset Date { get; init; }

    public required string Cpu { get; init; }

    public required int Cores { get; init; }

    public required string System { get; init; }

    public required string Runtime { get; init; }

    public required string GarbageCollector { get; init; }

    public required string PoolhouseVersion { get; init; }

    /// <summary>The version of Microsoft.Extensions.ObjectPool, the rival that is not part of the runtime.</summary>
    public required string ObjectPoolVersion { get; init; }

    /// <summary>Product and version of the measured databases; empty without any.</summary>
    public string Databases { get; init; } = "";

    public required string Command { get; init; }

    /// <summary>True when some measured code was compiled without optimisation.</summary>
    public required bool IsDebugBuild { get; init; }

    public static Machine Describe(TimeProvider time, string command) => new()
    {
        Date = time.GetLocalNow(),
        Cpu = CpuName(),
        Cores = Environment.ProcessorCount,
        System = RuntimeInformation.OSDescription,
        Runtime = $"{RuntimeInformation.FrameworkDescription} {RuntimeInformation.ProcessArchitecture}",
        GarbageCollector = $"{(GCSettings.IsServerGC ? "server" : "workstation")}, "
            + (GCSettings.LatencyMode == GCLatencyMode.Batch ? "not concurrent" : "concurrent"),
        PoolhouseVersion = VersionOf(typeof(TieredObjectPool<>).Assembly),
        ObjectPoolVersion = VersionOf(typeof(ObjectPool).Assembly),
        Command = command,
        IsDebugBuild = IsDebug(typeof(TieredObjectPool<>).Assembly) || IsDebug(typeof(Machine).Assembly),
    };

    /// <summary>All of it in a line, for captions.</summary>
    public string Caption() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Date:d MMM yyyy} · {Cpu}, {Cores} cores · {Runtime} · Poolhouse {PoolhouseVersion}, ObjectPool "
            + $"{ObjectPoolVersion}{(Databases.Length == 0 ? "" : $" · {Databases}")} · {Command}");

    private static string CpuName()
    {
        const string Key = "model name";
        var line = File.Exists(CpuInfo)
            ? File.ReadLines(CpuInfo).FirstOrDefault(line => line.StartsWith(Key, StringComparison.Ordinal))
            : null;
        return line?[(line.IndexOf(':', StringComparison.Ordinal) + 1)..].Trim()
            ?? Environment.GetEnvironmentVariable("PROCESSOR_IDENTIFIER")
            ?? RuntimeInformation.ProcessArchitecture.ToString();
    }

    private static string VersionOf(Assembly assembly)
    {
        var version = assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion
            ?? assembly.GetName().Version?.ToString()
            ?? "unknown";

        // What follows the plus is the commit.
        return version.Split('+')[0];
    }

    private static bool IsDebug(Assembly assembly) =>
        assembly.GetCustomAttribute<DebuggableAttribute>()?.IsJITOptimizerDisabled == true;
}
