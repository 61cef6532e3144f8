using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net.Sockets;
using Microsoft.Diagnostics.NETCore.Client;

namespace Poolhouse.Tool.Watch;

/// <summary>The .NET processes of this machine.</summary>
internal static class Targets
{
    /// <summary>The processes that accept diagnostic sessions, without this one.</summary>
    public static IReadOnlyList<int> List() =>
        [.. DiagnosticsClient.GetPublishedProcesses().Where(pid => pid != Environment.ProcessId).Distinct().Order()];

    /// <summary>The name of a process; its number if it has just ended.</summary>
    [SuppressMessage("Design", "CA1031", Justification = "A process may end at any moment, and its name may not be readable.")]
    public static string NameOf(int pid)
    {
        try
        {
            using var process = Process.GetProcessById(pid);
            var name = process.ProcessName;
            return string.Equals(name, "dotnet", StringComparison.Ordinal) && CommandLineOf(pid) is [_, var program, ..]
                ? Path.GetFileNameWithoutExtension(program)
                : name;
        }
        catch (Exception)
        {
            return pid.ToString(CultureInfo.InvariantCulture);
        }
    }

    /// <summary>The name of a process with its number.</summary>
    public static string TitleOf(int pid) => $"{NameOf(pid)} ({pid.ToString(CultureInfo.InvariantCulture)})";

    /// <summary>What a process was started with, by which its successor is found again.</summary>
    public static string IdentityOf(int pid) =>
        CommandLineOf(pid) is { Length: > 0 } words ? string.Join(' ', words) : NameOf(pid);

    /// <summary>Whether there is such a process.</summary>
    public static bool Exists(int pid)
    {
        try
        {
            using var process = Process.GetProcessById(pid);
            return true;
        }
        catch (ArgumentException)
        {
            return false;
        }
    }

    /// <summary>Says that a process accepts no session.</summary>
    public static string NoAnswer(string title) => $"Process {title} does not answer. Is it stopped, or still starting?";

    /// <summary>Says that the events of a process or a trace lack what is needed.</summary>
    public static string TooOld(string title, string version) =>
        $"{title} has {(version.Length > 0 ? $"Poolhouse {version}" : "a version of Poolhouse")}, which is too old for this "
        + "command. Update Poolhouse there, or use the version of Poolhouse.Tool that belongs to it.";

    /// <summary>The processes with a command line that were started since a moment, the first one first.</summary>
    public static IReadOnlyList<int> StartedSince(DateTime moment, string identity) => StartedSince(
        moment, List().Where(pid => string.Equals(IdentityOf(pid), identity, StringComparison.Ordinal))
            .Select(pid => (pid, StartOf(pid))));

    /// <inheritdoc cref="StartedSince(DateTime, string)"/>
    internal static IReadOnlyList<int> StartedSince(DateTime moment, IEnumerable<(int Pid, DateTime? Start)> processes) =>
    [
        .. from process in processes
           where process.Start >= moment
           orderby process.Start
           select process.Pid,
    ];

    /// <summary>Says why a process cannot be watched.</summary>
    public static string Explain(int pid, Exception? failure)
    {
        if (!Exists(pid))
        {
            return $"There is no process {pid}. 'poolhouse ps' lists the processes that have pools.";
        }

        var name = $"Process {pid} ({NameOf(pid)})";
        var modules = ModulesOf(pid, out var isForbidden);
        if (isForbidden || failure is UnauthorizedAccessException
            || failure?.GetBaseException() is SocketException { SocketErrorCode: SocketError.AccessDenied })
        {
            return $"{name} belongs to another user. Run this command as that user.";
        }

        if (modules?.Contains("coreclr", StringComparison.Ordinal) == false
            && !DiagnosticsClient.GetPublishedProcesses().Contains(pid))
        {
            return $"{name} is not a .NET process, or it was compiled to native code without EventSourceSupport.";
        }

        if (failure is not TimeoutException)
        {
            return $"{name} accepts no diagnostic sessions: DOTNET_EnableDiagnostics is 0, or its TMPDIR is not that of this "
                + "command.";
        }

        return modules?.Contains("Poolhouse.dll", StringComparison.OrdinalIgnoreCase) == true
            ? $"{name} uses Poolhouse but reports no pools: it has none yet, or its version of Poolhouse cannot be watched."
            : $"{name} has no pools of Poolhouse.";
    }

    /// <summary>When a process was started, in UTC; null if it has ended.</summary>
    [SuppressMessage("Design", "CA1031", Justification = "As for the name.")]
    private static DateTime? StartOf(int pid)
    {
        try
        {
            using var process = Process.GetProcessById(pid);
            return process.StartTime.ToUniversalTime();
        }
        catch (Exception)
        {
            return null;
        }
    }

    private static string[] CommandLineOf(int pid)
    {
        try
        {
            return File.ReadAllText($"/proc/{pid}/cmdline").Split('\0', StringSplitOptions.RemoveEmptyEntries);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    /// <summary>The files that a process has mapped; null if the system does not tell.</summary>
    private static string? ModulesOf(int pid, out bool isForbidden)
    {
        isForbidden = false;
        try
        {
            return OperatingSystem.IsLinux() ? File.ReadAllText($"/proc/{pid}/maps") : null;
        }
        catch (UnauthorizedAccessException)
        {
            isForbidden = true;
            return null;
        }
        catch (IOException)
        {
            return null;
        }
    }
}
