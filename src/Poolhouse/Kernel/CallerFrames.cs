using System.Diagnostics;

namespace Poolhouse.Kernel;

/// <summary>Reduces the stack of a rent to the frames that are useful to a reader: those of the program itself.</summary>
internal static class CallerFrames
{
    /// <summary>Returns the frames without those of .NET and of the pool.</summary>
    /// <returns>The reduced stack, or the whole stack if no other frames remain.</returns>
    public static StackTrace Of(StackTrace stack)
    {
        var frames = stack.GetFrames().SkipWhile(IsOfThePool).Where(frame => !IsOfTheFramework(frame)).ToList();
        return frames.Count == 0 ? stack : new StackTrace(frames);
    }

    /// <summary>The method of the innermost frame, or null if it is not known.</summary>
    public static string? NameOfFirst(StackTrace stack) =>
        stack.GetFrame(0) is { } frame && DiagnosticMethodInfo.Create(frame) is { } method
            ? $"{method.DeclaringTypeName}.{method.Name}"
            : null;

    /// <summary>Whether an assembly is part of .NET, ASP.NET Core or Entity Framework Core.</summary>
    /// <param name="assembly">Its simple or full name.</param>
    public static bool IsOfDotNet(string assembly) =>
        assembly.StartsWith("System.", StringComparison.Ordinal)
        || assembly.StartsWith("Microsoft.AspNetCore.", StringComparison.Ordinal)
        || assembly.StartsWith("Microsoft.EntityFrameworkCore", StringComparison.Ordinal)
        || assembly.StartsWith("Microsoft.Extensions.", StringComparison.Ordinal);

    private static bool IsOfThePool(StackFrame frame) => AssemblyOf(frame) is
        "Poolhouse" or "Poolhouse.Data" or "Poolhouse.EntityFrameworkCore" or "Poolhouse.Ldap" or "Poolhouse.Http"
            or "Poolhouse.Extensions" or "Poolhouse.Testing";

    private static bool IsOfTheFramework(StackFrame frame) =>
        AssemblyOf(frame) is var assembly && (assembly.Length == 0 || IsOfDotNet(assembly));

    // The simple name. Not obtained through the method, which a trimmed program may not have.
    private static string AssemblyOf(StackFrame frame)
    {
        var name = DiagnosticMethodInfo.Create(frame)?.DeclaringAssemblyName ?? "";
        var end = name.IndexOf(',', StringComparison.Ordinal);
        return end < 0 ? name : name[..end];
    }
}
