using System.Reflection;

namespace Poolhouse.Tool.Watch;

/// <summary>Where the documentation is.</summary>
internal static class Docs
{
    private static readonly string _address = typeof(Docs).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
        .First(each => each.Key == "DocumentationUrl").Value!;

    /// <summary>The address of a page.</summary>
    public static string Page(string path) => $"{_address}/{path}";

    /// <summary>The address of a section of the troubleshooting page.</summary>
    public static string Section(string anchor) => $"{_address}/troubleshooting.md#{anchor}";
}
