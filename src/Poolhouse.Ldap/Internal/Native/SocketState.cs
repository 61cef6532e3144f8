using System.Runtime.InteropServices;

namespace Poolhouse.Ldap.Internal.Native;

/// <summary>Checks without traffic whether the peer of a socket has closed it.</summary>
internal static class SocketState
{
    // POLLERR, POLLHUP and POLLNVAL are always reported. POLLRDHUP is reported although unread bytes precede the end, such as a
    // notice of disconnection or the closing messages of TLS.
    private const short Error = 0x8;
    private const short HungUp = 0x10;
    private const short Invalid = 0x20;
    private const short OtherEndHungUp = 0x2000;

    /// <summary>
    /// Whether sockets can be checked on this system. Other systems do not distinguish the end from bytes before it.
    /// </summary>
    public static bool CanLook => OperatingSystem.IsLinux();

    /// <summary>Whether the peer has closed the connection. One system call that does not wait.</summary>
    public static bool HasHungUp(int descriptor)
    {
        var look = new Look { Descriptor = descriptor, Asked = OtherEndHungUp };
        return Poll(ref look, 1, 0) > 0 && (look.Seen & (Error | HungUp | Invalid | OtherEndHungUp)) != 0;
    }

#pragma warning disable SYSLIB1054 // Blittable as it is; generated marshalling would need unsafe code.
    [DllImport("libc", EntryPoint = "poll", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Poll(ref Look look, nuint count, int milliseconds);
#pragma warning restore SYSLIB1054

    [StructLayout(LayoutKind.Sequential)]
    private struct Look
    {
        public int Descriptor;
        public short Asked;
        public short Seen;
    }
}
