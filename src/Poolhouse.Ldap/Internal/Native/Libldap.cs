using System.Runtime.InteropServices;

namespace Poolhouse.Ldap.Internal.Native;

/// <summary>The native library behind System.DirectoryServices.Protocols, which a minimal system lacks.</summary>
internal static partial class Libldap
{
    private const string LoadedFiles = "/proc/self/maps";

    // LDAP_OPT_RESTART; any value but null turns it on.
    private const int RestartOption = 9;
    private const nint On = 1;

    // LDAP_OPT_DESC
    private const int DescriptorOption = 1;

    private const int Success = 0;

    private static readonly string[] _names =
        ["libldap.so.2", "libldap-2.6.so.0", "libldap-2.5.so.0", "libldap-2.4.so.2", "libldap.dylib"];

    private static readonly Lazy<GetOption?> _getOption = new(static () => TryFind<GetOption>("ldap_get_option"));

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate int SetOption(nint connection, int option, nint value);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate int GetOption(nint connection, int option, out int value);

    /// <summary>Whether a failure comes from the missing library.</summary>
    public static bool IsMissing(Exception failure)
    {
        for (var cause = failure; cause is not null; cause = cause.InnerException)
        {
            if (cause is DllNotFoundException)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Names the package to install.</summary>
    public static DllNotFoundException Missing(Exception failure) => new(
        "The LDAP library of the operating system is missing: System.DirectoryServices.Protocols needs libldap. Install libldap-2.5-0 (Debian 12), libldap2 (Debian 13, Ubuntu 24.04), openldap (Fedora, RHEL) or libldap (Alpine).",
        failure);

    /// <summary>
    /// Sets the library to keep waiting after a signal. By default it treats the interruption as the loss of the server: the end of
    /// any child process is enough. Applies to connections created from now on, in the whole process.
    /// </summary>
    /// <returns>Whether it succeeded.</returns>
    public static bool TryRestartAfterSignals()
    {
        return TryFind<SetOption>("ldap_set_option") is { } setOption && setOption(0, RestartOption, On) == Success;
    }

    /// <summary>The socket of a connection.</summary>
    /// <param name="handle">The library's handle of a connection that is open.</param>
    /// <returns>Its descriptor, which the library keeps owning; null if it is unknown.</returns>
    public static int? DescriptorOf(nint handle) =>
        _getOption.Value is { } getOption && getOption(handle, DescriptorOption, out var descriptor) == Success && descriptor >= 0
            ? descriptor
            : null;

    private static TFunction? TryFind<TFunction>(string name)
        where TFunction : Delegate =>
        !OperatingSystem.IsWindows() && TryFind(out var library) && NativeLibrary.TryGetExport(library, name, out var function)
            ? Marshal.GetDelegateForFunctionPointer<TFunction>(function)
            : null;

    // The version that is loaded: another one may be installed too.
    private static bool TryFind(out nint library)
    {
        foreach (var name in LoadedLibraries().Concat(_names))
        {
            if (NativeLibrary.TryLoad(name, out library))
            {
                return true;
            }
        }

        library = 0;
        return false;
    }

    private static IEnumerable<string> LoadedLibraries() => File.Exists(LoadedFiles)
        ? File.ReadLines(LoadedFiles).Where(line => line.Contains("/libldap", StringComparison.Ordinal))
            .Select(line => line[line.IndexOf('/', StringComparison.Ordinal)..]).Distinct(StringComparer.Ordinal)
        : [];
}
