using System.Diagnostics;

namespace Poolhouse.TestSupport;

/// <summary>The command <c>poolhouse</c>, as a process of its own.</summary>
internal static class ToolProcess
{
    /// <summary>The program, for <c>dotnet</c>: as new as the tests, which build it.</summary>
    public static string Program => Path.GetFullPath(Path.Combine(
        AppContext.BaseDirectory, "..", "..", "Poolhouse.Tool", new DirectoryInfo(AppContext.BaseDirectory).Name,
        "Poolhouse.Tool.dll"));

    /// <summary>How to start it, with its output redirected.</summary>
    public static ProcessStartInfo With(params IReadOnlyList<string> arguments) => new("dotnet", [Program, .. arguments])
    {
        UseShellExecute = false,
        RedirectStandardOutput = true,
    };
}
