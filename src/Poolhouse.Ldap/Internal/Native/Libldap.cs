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

    // LDAP_OPT_REFERRALS, LDAP_OPT_PROTOCOL_VERSION, LDAP_OPT_HOST_NAME
    private const int ReferralsOption = 8;
    private const int ProtocolVersionOption = 0x11;
    private const int HostNameOption = 0x30;

    // A name for the import only: the resolver below finds the file.
    private const string Name = "libldap";

    private const int Success = 0;

    private static readonly byte[] _emptyText = [0];

    private static readonly string[] _names =
        ["libldap.so.2", "libldap-2.6.so.0", "libldap-2.5.so.0", "libldap-2.4.so.2", "libldap.dylib"];

    private static readonly Lazy<bool> _canRead = new(PrepareReading);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate int SetOption(nint connection, int option, nint value);

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
        "The LDAP library of the operating system is missing: System.DirectoryServices.Protocols needs libldap. Install " +
        "libldap-2.5-0 (Debian 12), libldap2 (Debian 13, Ubuntu 24.04), openldap (Fedora, RHEL) or libldap (Alpine).",
        failure);

    /// <summary>
    /// Sets the library to keep waiting after a signal. By default it treats the interruption as the loss of the server: the end
    /// of any child process is enough. Applies to connections created from now on, in the whole process.
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
        _canRead.Value && GetOption(handle, DescriptorOption, out int descriptor) == Success && descriptor >= 0
            ? descriptor
            : null;

    /// <summary>The settings of a connection that a user can change while it is open, to be compared later.</summary>
    /// <param name="handle">The library's handle of a connection that is open.</param>
    /// <returns>The settings; null if they cannot be read without the base class.</returns>
    public static NativeSettings? SettingsOf(nint handle)
    {
        if (!_canRead.Value || GetOption(handle, HostNameOption, out nint host) != Success)
        {
            return null;
        }

        var hostName = host == 0 ? null : ReadToEnd(host);
        FreeMemory(host);
        return TryRead(handle, out var version, out var referrals) ? new NativeSettings(version, referrals, hostName) : null;
    }

    /// <summary>Whether a connection still has the given settings. Allocates nothing; no round trip to the server.</summary>
    /// <param name="handle">The library's handle of a connection that is open.</param>
    /// <param name="settings">What <see cref="SettingsOf"/> returned for it.</param>
    public static bool HasSettings(nint handle, NativeSettings settings)
    {
        if (!TryRead(handle, out var version, out var referrals) || version != settings.ProtocolVersion
            || referrals != settings.Referrals
            || GetOption(handle, HostNameOption, out nint host) != Success)
        {
            return false;
        }

        if (host == 0 || settings.HostName is not { } hostName)
        {
            FreeMemory(host);
            return host == 0 && settings.HostName is null;
        }

        var isSame = Compare(host, hostName) == 0;
        FreeMemory(host);
        return isSame;
    }

    /// <summary>
    /// Clears the list of servers to which the library connects when it has none: from then on, a connection that is lost stays
    /// lost.
    /// </summary>
    /// <param name="handle">The library's handle of a connection that is open.</param>
    /// <returns>Whether the list is empty now.</returns>
    public static bool TryClearServers(nint handle)
    {
        if (!_canRead.Value || ChangeOption(handle, HostNameOption, _emptyText) != Success
            || GetOption(handle, HostNameOption, out nint host) != Success)
        {
            return false;
        }

        FreeMemory(host);
        return host == 0;
    }

    private static bool TryRead(nint handle, out int version, out int referrals)
    {
        referrals = 0;
        return GetOption(handle, ProtocolVersionOption, out version) == Success
            && GetOption(handle, ReferralsOption, out referrals) == Success;
    }

    // With the zero at its end.
    private static byte[] ReadToEnd(nint text)
    {
        var length = 0;
        while (Marshal.ReadByte(text, length) != 0)
        {
            length++;
        }

        var bytes = new byte[length + 1];
        Marshal.Copy(text, bytes, 0, bytes.Length);
        return bytes;
    }

    private static bool PrepareReading()
    {
        if (OperatingSystem.IsWindows() || !TryFind(out var library)
            || !NativeLibrary.TryGetExport(library, "ldap_memfree", out _))
        {
            return false;
        }

        NativeLibrary.SetDllImportResolver(
            typeof(Libldap).Assembly, (name, _, _) => string.Equals(name, Name, StringComparison.Ordinal) ? library : 0);
        return true;
    }

#pragma warning disable SYSLIB1054 // Blittable as they are; generated marshalling would need unsafe code.
    [DllImport(Name, EntryPoint = "ldap_get_option", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int GetOption(nint connection, int option, out int value);

    [DllImport(Name, EntryPoint = "ldap_get_option", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int GetOption(nint connection, int option, out nint value);

    [DllImport(Name, EntryPoint = "ldap_set_option", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int ChangeOption(nint connection, int option, byte[] text);

    [DllImport(Name, EntryPoint = "ldap_memfree", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern void FreeMemory(nint memory);

    // Takes no lock and a few nanoseconds.
    [SuppressGCTransition]
    [DllImport("libc", EntryPoint = "strcmp", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Compare(nint text, byte[] other);
#pragma warning restore SYSLIB1054

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
