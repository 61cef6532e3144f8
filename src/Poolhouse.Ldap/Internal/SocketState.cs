using System.Runtime.InteropServices;

namespace Poolhouse.Ldap.Internal;

/// <summary>Looks whether the other end of a socket is still there, without a word to it.</summary>
internal static class SocketState
{
    // POLLERR, POLLHUP and POLLNVAL are always reported. POLLRDHUP is reported although unread bytes precede the end, such as a notice of
    // disconnection or the last words of TLS.
    private const short Error = 0x8;
    private const short HungUp = 0x10;
    private const short Invalid = 0x20;
    private const short OtherEndHungUp = 0x2000;

    /// <summary>Whether sockets can be looked at here. Other systems do not tell the end apart from bytes before it.</summary>
    public static bool CanLook => OperatingSystem.IsLinux();

    /// <summary>Whether nothing more will come from the other end. One system call, which waits for nothing.</summary>
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
