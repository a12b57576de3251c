/** One kind of code that does not belong to the application. */
interface ForeignRow {
  /** Runs in linear time on a path or a module as it was written. */
  readonly pattern: RegExp;
  readonly reason: string;
  readonly examples: readonly string[];
}

/** Paths of foreign code: folders of packages, languages and operating systems. */
export const FOREIGN_FILES: readonly ForeignRow[] = [
  {
    pattern:
      /(?:^|[/\\])(?:node_modules|bower_components|site-packages|dist-packages|gems|vendor\/bundle)[/\\]|^(?:node|internal|bun|deno|ext|native|chrome-extension|moz-extension|safari-extension|safari-web-extension):|^(?:internal|webpack\/(?:runtime|bootstrap))\b|^\/usr\/(?:local\/)?lib\/(?!.{1,200}\/app\.asar\/)|[/\\](?:pkg[/\\]mod|rustc|\.cargo[/\\]registry|lib[/\\]python\d(?:\.\d+)?)[/\\]/,
    reason: 'Folders and schemes of packages and runtimes.',
    examples: ['/app/node_modules/x/index.js', 'node:internal/timers', '/usr/lib/python3.11/json/decoder.py'],
  },
  {
    pattern:
      /(?:^|[/\\])(?:jspm_packages|\.yarn|\.pnpm|\.pub-cache|\.m2|\.gradle|\.nuget|\.rustup|\.rbenv|\.rvm|\.pyenv|Pods|checkouts|third[-_]?party|3rdparty)[/\\]/i,
    reason: 'Folders in which package managers and people keep the code of others.',
    examples: ['/root/.pub-cache/hosted/pub.dev/http-1.1.0/lib/src/client.dart', 'ios/Pods/Charts/Axis.swift'],
  },
  {
    pattern: /(?:^|[/\\])vendor[/\\](?:autoload\.php$|composer[/\\]|[^/\\]{1,100}[/\\][^/\\]{1,100}[/\\])/,
    reason: 'Packages in vendor lie below their owner or host; fewer folders may be a module about suppliers.',
    examples: ['/app/vendor/acme/http/src/Kernel.php', '/go/shop/vendor/example.com/log/log.go', 'vendor/autoload.php'],
  },
  {
    pattern: /(?:^|[/\\~-])(?:vendors?|polyfills?)(?:[.~-][\w.~-]{0,100})?\.[cm]?js$/,
    reason: 'Bundles into which bundlers put the packages.',
    examples: ['https://a.example/js/chunk-vendors.4f2a91bc.js', 'polyfills.js', 'vendors~main.js'],
  },
  {
    pattern:
      /^\[eval\]-wrapper$|^(?:dart|org-dartlang-sdk|org-dartlang-app|resource|chrome|jrt|phar):|\.phar$|^package:(?:flutter\w{0,40}|stack_trace|async|collection|test_api|test_core|matcher|sky_engine)\/|(?:^|[/\\])(?:InternalBytecode\.js|ELECTRON_ASAR\.js|dart_sdk\.js)(?=$|[:?])|^(?:webpack[/\\](?:runtime|bootstrap|before-startup|startup|universalModuleDefinition)|\(?webpack\)?[/\\]buildin)/,
    reason: 'Schemes and files of runtimes, and the packages that come with them.',
    examples: [
      '[eval]-wrapper',
      'dart:async/zone.dart',
      'package:flutter/src/widgets/framework.dart',
      'InternalBytecode.js',
    ],
  },
  {
    pattern:
      /^(?:[a-z]{1,8}-){0,2}extension:|^(?:extensions|user-script|webkit-masked-url|cloudflare(?:-internal)?|node-internal|workerd):|(?:^|[/\\])(?:(?:electron|atom|default_app)\.asar|electron[/\\]js2c)[/\\]|^(?:file:\/\/)?\/var\/runtime\/|(?:^|\/)webpack(?:-internal)?:\/(?:\/[^/]{0,200}\/)?(?:\.?\/)?(?:webpack\/|\(webpack\)|external )/,
    reason: 'Extensions of browsers, and runtimes of scripts and of bundlers.',
    examples: [
      'webkit-masked-url://hidden/',
      'cloudflare-internal:sockets',
      'electron/js2c/renderer_init.js',
      'webpack://shop/webpack/runtime/jsonp chunk loading',
    ],
  },
  {
    pattern:
      /[/\\]~[/\\]|[/\\]\.pnp\.[cm]?js$|[/\\]\.?vite[/\\]deps(?:_ssr)?[/\\]|^https?:\/\/[^/]{1,200}\/@(?:id\/|vite\/|react-refresh)|(?:^|[/\\])chunk-[A-Z0-9]{8}\.js\?v=[0-9a-f]{8}$|[/\\]node_modules_\w|[/\\]_next\/static\/chunks\/(?:framework-|main-|main-app-|webpack[.-])[^/]{1,100}$|[/\\]runtime~[\w.~-]{1,100}\.js$/,
    reason: 'Packages and runtimes as development servers and frameworks bundle them.',
    examples: [
      'https://shop.example/.vite/deps/chunk-3QSF6Q7P.js?v=1a2b3c4d',
      'http://localhost:5173/@vite/client',
      'chunk-3QSF6Q7P.js?v=1a2b3c4d',
      'webpack:///./~/acme/lib/index.js',
      '/srv/shop/.pnp.cjs',
      'http://localhost:3000/_next/static/chunks/node_modules_acme_5f3a91._.js',
      'https://shop.example/_next/static/chunks/framework-8f3a91c2.js',
    ],
  },
  {
    pattern:
      /^https?:\/\/(?:(?:www\.)?unpkg\.com|cdn\.jsdelivr\.net|cdnjs\.cloudflare\.com|esm\.sh|deno\.land|jsr\.io|ajax\.(?:googleapis|aspnetcdn)\.com|code\.jquery\.com|[\w-]{1,60}\.sentry-cdn\.com)\//,
    reason: 'Public servers of packages.',
    examples: ['https://unpkg.com/left@1.0.0/index.js', 'https://deno.land/std@0.224.0/http/server.ts'],
  },
  {
    pattern:
      /(?:^|[/\\])(?:@(?:sentry(?:-internal)?|opentelemetry)|core-js(?:-pure)?|zone\.js|regenerator-runtime|@babel[/\\]runtime)[/\\]|(?:^|[/\\])(?:zone(?:-evergreen|\.umd|\.min){1,2}|jquery(?:-\d[\d.]{0,12}(?<!\.))?(?:\.slim)?(?:\.min)?)\.js(?:$|\?)/i,
    reason: 'Libraries that put themselves around the calls of others, also outside of folders of packages.',
    examples: ['./@sentry/browser/esm/helpers.js', 'webpack:///core-js/internals/iterate.js', 'js/jquery-3.7.1.min.js'],
  },
  {
    pattern:
      /(?:^|[/\\])lib(?:32|64)?[/\\](?:python|pypy)\d|[/\\]python\d{1,4}[/\\]lib[/\\]|^<(?:frozen |__array_function__ )|(?:^|[/\\])python\d{1,4}\.zip[/\\]|\.egg(?<=[/\\][\w.-]{1,100}\.egg)[/\\]|^PyInstaller[/\\]/i,
    reason: 'The standard library of Python, its packages in eggs, and what starts a bundled program.',
    examples: [
      '/opt/shop/eggs/kit-1.3-py2.7.egg/kit/router.py',
      'C:\\Python311\\Lib\\asyncio\\runners.py',
      '<frozen importlib._bootstrap>',
    ],
  },
  {
    pattern:
      /^<internal:|[/\\]lib[/\\](?:j?ruby|truffleruby)[/\\]|[/\\]ruby[/\\]\d{1,3}\.\d{1,3}\.\d{1,3}[/\\]|[/\\]share[/\\](?:php|ruby|perl)\d{0,2}[/\\]|^\[internal function\]/,
    reason: 'What comes with Ruby and PHP.',
    examples: ['<internal:kernel>', '/opt/ruby/lib/ruby/3.2.0/net/http.rb', '[internal function]'],
  },
  {
    pattern:
      /(?:^|[/\\])wp-(?:includes|admin)[/\\]|(?:^|[/\\])wp-(?:settings|load|blog-header|cron|login)\.php$|(?:^|[/\\])core[/\\]lib[/\\]Drupal(?:[/\\]|\.php$)/,
    reason: 'WordPress and Drupal themselves, beside the plugins, modules and themes of a site.',
    examples: [
      '/srv/www/wp-includes/class-wp-hook.php',
      '/srv/www/wp-settings.php',
      'web/core/lib/Drupal/Core/Form/FormBuilder.php',
    ],
  },
  {
    pattern:
      /(?:^|[/\\])pkg[/\\]mod[/\\]|(?:[/\\]usr[/\\]local[/\\]go|[/\\]lib[/\\]go(?:-\d[\d.]{0,10})?|[/\\]libexec|[/\\]sdk[/\\]go\d[\w.]{0,20}|[/\\]go[/\\]\d[\d.]{0,10}[/\\]x64|[A-Z]:[/\\](?:Program Files[/\\])?Go|[/\\]goroot)[/\\]src[/\\]|@v\d{1,5}\.\d{1,5}\.\d{1,5}[^/\\]{0,80}[/\\]|^_cgo_|^<autogenerated>/,
    reason: 'The module cache and the standard library of Go.',
    examples: [
      '/usr/local/go/src/net/http/server.go',
      'example.com/log@v1.4.2/log.go',
      '/root/go/pkg/mod/x@v1.0.0/x.go',
    ],
  },
  {
    pattern:
      /^(?:archive|bufio|bytes|cmp|compress|container|context|crypto|database\/sql|encoding|errors|expvar|fmt|go\/(?:ast|parser|token)|html\/template|internal|io|iter|log\/slog|maps|math|mime|net|os|path\/filepath|reflect|regexp|runtime|slices|sort|strconv|strings|sync|syscall|testing|text\/template|time|unicode)(?:\/[a-z\d]{1,40}){0,6}\/[\w.]{1,60}\.(?:go|s)$/,
    reason: 'The standard library of Go in a build that trims paths.',
    examples: ['net/http/server.go', 'runtime/panic.go'],
  },
  {
    pattern:
      /[/\\]?\bcargo[/\\](?:registry|git)[/\\]|^[/\\]rustc[/\\]|(?:^|[/\\])library[/\\](?:std|core|alloc|panic_unwind|panic_abort|test|backtrace|proc_macro)[/\\]src[/\\]/,
    reason: 'The registry and the standard library of Rust.',
    examples: ['/usr/local/cargo/registry/src/index-1/log-0.4.1/src/lib.rs', 'library/core/src/panicking.rs'],
  },
  {
    pattern:
      /^(?:[/\\]_|[A-Z]:[/\\].{0,200})[/\\]src[/\\](?:libraries|coreclr|mono)[/\\]|^\/_\/src\/(?:Shared|Http|Hosting)\//,
    reason: 'The runtime of .NET as it was built.',
    examples: ['/_/src/libraries/System.Private.CoreLib/src/System/Threading/Tasks/Task.cs'],
  },
  {
    pattern:
      /(?:^|[/\\])deps[/\\][a-z]\w{0,80}[/\\](?:lib|src)[/\\]|(?:^|[/\\])lib[/\\](?:erlang|elixir)[/\\]|[/\\]lib[/\\](?:elixir|ex_unit|iex|mix|logger|eex)[/\\]lib[/\\]|(?:^|[/\\])(?:gen|gen_server|gen_statem|gen_event|gen_fsm|proc_lib|supervisor|lists|maps|ets|erl_eval|erlang|timer|application_master|init|io|io_lib|binary|dict|ordsets|sets|queue|shell|rpc|erpc|ssl|gen_tcp|httpc)\.erl$/,
    reason: 'Dependencies of Elixir and Erlang, and what comes with them.',
    examples: [
      'deps/web_kit/lib/web_kit/router.ex',
      'gen_server.erl',
      '/usr/local/lib/erlang/lib/stdlib-5.0/src/lists.erl',
    ],
  },
  {
    pattern:
      /^(?:\/lib(?:32|64)?\/|\/usr\/(?:lib(?:32|64|exec)|include|share(?!\/[^/]{1,80}\/(?:html|www|htdocs|public)\/))\/|\/System\/|\/Library\/(?:Developer|Frameworks)\/|\/Applications\/Xcode|\/nix\/store\/|\/usr\/src\/(?:debug|linux)|[A-Z]:[/\\]Windows[/\\]|\/BuildRoot\/|\/apex\/|\/system\/(?:lib|framework|bin))|(?:^|[/\\])glibc-\d[^/\\]{0,40}[/\\]|^(?:\.{1,2}\/)(?:sysdeps|csu|nptl|malloc|stdlib|libio|stdio-common|misc|assert|debug|string|signal)\/|^\[?(?:linux-)?(?:vdso|gate|vsyscall)|^\/?<compiler-generated>|[/\\](?:compiler-rt|libsanitizer|libstdc\+\+-v3|include[/\\]c\+\+|VC[/\\]Tools[/\\]MSVC[/\\]\d[\d.]{0,20})[/\\]/i,
    reason: 'Folders of operating systems and tool chains.',
    examples: ['/lib/x86_64-linux-gnu/libc.so.6', '../sysdeps/posix/raise.c', '/opt/include/c++/12/vector'],
  },
  {
    pattern:
      /^[A-Z]:[/\\]Program Files(?: \(x86\))?[/\\](?:WindowsApps[/\\])?(?:dotnet|nodejs|go|java|jdk|jre|python|pypy|ruby|php|perl|erlang|erl|elixir|dart|r|julia|mono|git|llvm|msbuild|reference assemblies|common files|windows|microsoft|eclipse adoptium|amazon corretto|zulu)(?:[\d._ -][^/\\]{0,80})?[/\\]/i,
    reason: 'Runtimes and tools beside installed applications.',
    examples: [
      'C:\\Program Files\\dotnet\\shared\\x.dll',
      'C:\\Program Files (x86)\\Python38-32\\lib\\json\\decoder.py',
    ],
  },
  {
    pattern:
      /^\/(?:opt\/homebrew\/(?:Cellar|opt|lib)|usr\/local\/(?:Cellar|bundle|lib64|libexec)|home\/linuxbrew\/\.linuxbrew|snap\/(?:go|node|ruby|dotnet-sdk|dotnet-runtime-\d+|openjdk|core\d*))\/|(?:^|[/\\])(?:hostedtoolcache|flutter[/\\](?:bin[/\\]cache|packages)|\.asdf|\.nvm|\.fnm|\.volta|\.sdkman|\.jabba|\.gvm|\.goenv|\.nodenv|\.phpenv|\.jenv|\.conda|\.deno|\.bun|\.npm|\.bundle|\.cabal|\.stack|\.opam|\.hex|\.mix|\.konan|\.swiftpm|\.ivy2|\.composer|\.cache[/\\](?:pip|uv|deno|go-build|pypoetry)|mise[/\\]installs|rtx[/\\]installs|Library[/\\]Caches[/\\](?:pip|uv|pypoetry|deno|go-build|Homebrew|CocoaPods)|AppData[/\\]Roaming[/\\](?:npm|Python))[/\\]/,
    reason: 'Caches of packages, and runtimes that version managers and machines for tests install.',
    examples: ['/opt/hostedtoolcache/node/18.1.0/x64/lib/cli.js', '/home/anna/.asdf/installs/ruby/3.2.0/lib/x.rb'],
  },
  {
    pattern: /^[a-z][\w+.-]{1,20}:\/\/(?=[^@]{0,400}@)[^?#]{1,300}?[/@][\w.-]{1,80}@v?\d{1,5}\.\d{1,5}[^/]{0,40}\//,
    reason: 'Addresses of packages with their version.',
    examples: ['https://cdn.example/npm/preact@10.1.1/dist/preact.mjs'],
  },
  {
    pattern: /\/execroot\/[^/]{1,100}\/external\/|\.runfiles\/[^/]{0,100}(?:pip|pypi|npm|maven)[^/]{0,100}\//,
    reason: 'What Bazel builds from other projects.',
    examples: ['/home/anna/.cache/bazel/execroot/shop/external/acme_log/log.py'],
  },
];

const SYSTEM_LIBRARY =
  /^(?:linker(?:64)?|app_process(?:32|64)?|boot[\w.-]{0,40}\.oat|ld-linux[\w.-]{0,20}|ld-musl[\w.-]{0,20}|linux-(?:vdso|gate)[\w.]{0,10}|dyld(?:_sim|_shared_cache\w{0,20})?|lib(?:c|m|dl|rt|pthread|gcc_s|stdc\+\+|c\+\+(?:abi)?|asan|tsan|ubsan|lsan|util|resolv|unwind|crypt|z|art|binder|utils|log|objc|dispatch|xpc|system\w{0,40}|swift\w{0,60}|Foundation|sqlite3|BacktraceRecording|clang_rt[\w.]{0,40}|pthread_nonshared|anl|nsl|atomic|stdbuf|jemalloc|tcmalloc\w{0,20}|android(?:_runtime|fw)?|hwui|gui|ui|input|media\w{0,20}|EGL|GLESv\d|vulkan|nativehelper|javacore|openjdk|icucore|boringssl|network|MobileGestalt|remangle|GPUCompiler\w{0,20}|webviewchromium|monochrome\w{0,20})(?:\.[A-Z]{1,2})?(?:-\d[\d.]{0,10})?\.(?:so|dylib|a)(?:\.[\d.]{1,12})?)$/;

/** Names of the JVM, and of SDKs that report failures: no mark makes them the application's. */
const NEVER_OWN: readonly ForeignRow[] = [
  {
    pattern:
      /^(?:java|j\$|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|clojure|android|androidx|dalvik|libcore)\./,
    reason: 'Namespaces of the languages of the JVM and their runtimes.',
    examples: ['java.util.ArrayList', 'androidx.fragment.app.Fragment'],
  },
  {
    pattern:
      /^(?:io\.(?:sentry|opentelemetry|honeybadger)|com\.(?:bugsnag|rollbar|newrelic|datadog|appdynamics|dynatrace|microsoft\.applicationinsights|google\.firebase\.crashlytics)|datadog|co\.elastic\.apm|Sentry|Rollbar|Bugsnag|Raygun|Mindscape\.Raygun4Net|Elastic\.Apm|OpenTelemetry)\./,
    reason: 'SDKs that report failures of others.',
    examples: ['io.sentry.logback.SentryAppender', 'Sentry.SentryClient'],
  },
];

/** Names of foreign modules, classes and loaded images. */
export const FOREIGN_MODULES: readonly ForeignRow[] = [
  ...NEVER_OWN,
  {
    pattern: /^(?:System|Microsoft)\./,
    reason: 'Namespaces of .NET.',
    examples: ['System.Threading.Tasks.Task'],
  },
  {
    pattern:
      /^(?:com\.android|org\.(?:codehaus|apache)\.groovy|org\.(?:jruby|python|graalvm|w3c|xml)|com\.oracle|nashorn|Windows|MS\.(?:Internal|Win32)|Mono|FSharp|Interop|Internal)\.|^(?:System|Microsoft|Interop)$/,
    reason: 'More namespaces of languages and their runtimes.',
    examples: [
      'com.android.internal.os.ZygoteInit',
      'org.codehaus.groovy.runtime.CallSite',
      'MS.Internal.CulturePreserving',
    ],
  },
  {
    pattern:
      /^<?(?:&(?:mut )?|dyn |\[)?(?:std|core|alloc|proc_macro|test|rustc\w{0,40}|backtrace|panic_unwind|compiler_builtins|__rust\w{0,40}|__gnu_cxx|__cxxabiv1|__sanitizer|__asan|__interceptor\w{0,40})(?:::|$)/,
    reason: 'Crates and namespaces that come with Rust and C++.',
    examples: ['core::panicking', 'std::rt', '<alloc::boxed::Box<F> as core::ops::function::FnOnce<A>>', 'std'],
  },
  {
    pattern:
      /^(?:bufio|bytes|context|errors|fmt|io|iter|maps|math|net|os|reflect|regexp|runtime|slices|sort|strconv|strings|sync|syscall|testing|time|archive\/\w{1,20}|compress\/\w{1,20}|container\/\w{1,20}|crypto(?:\/[\w/]{1,60})?|database\/sql(?:\/\w{1,20})?|encoding\/\w{1,20}|hash\/\w{1,20}|html\/template|internal\/[\w/]{1,60}|io\/\w{1,20}|log\/slog|math\/\w{1,20}|mime\/\w{1,20}|net\/[\w/]{1,60}|os\/\w{1,20}|path\/filepath|runtime\/[\w/]{1,60}|sync\/\w{1,20}|text\/\w{1,20}|testing\/[\w/]{1,40}|vendor\/golang\.org\/.{0,200})$/,
    reason: 'The standard library of Go.',
    examples: ['net/http', 'runtime', 'encoding/json', 'reflect'],
  },
  {
    pattern: /^:[a-z][\w.]{0,100}$/,
    reason: 'Elixir writes modules of Erlang as atoms: OTP and what it brings.',
    examples: [':gen_server', ':proc_lib'],
  },
  { pattern: /^dart:/, reason: 'Libraries of Dart.', examples: ['dart:async'] },
  {
    pattern: SYSTEM_LIBRARY,
    reason: 'Libraries of Unix systems.',
    examples: ['libc.so.6', 'libsystem_kernel.dylib'],
  },
  {
    pattern:
      /^(?:AppKit|Foundation|UIFoundation|UIKit|UIKitMacHelper|PhotosUI|StoreKit|ImageIO|IOSurface|Accelerate|vImage|SceneKit|SpriteKit|GLKit|OpenGLES|OpenGL|MapKit|VectorKit|CloudKit|HealthKit|PassKit|PushKit|CallKit|CarPlay|WatchKit|WidgetKit|ActivityKit|ARKit|RealityKit|PencilKit|PDFKit|GameKit|GameController|MediaPlayer|MediaToolbox|AudioToolbox|AudioToolboxCore|VideoToolbox|AV(?:Foundation|FAudio|FCore|Kit)|TextInput\w{0,20}|LinkPresentation|SafariServices|WebKitLegacy|RunningBoardServices|SpringBoardServices|MobileCoreServices|DesktopServicesPriv|SkyLight|AGXMetal\w{0,20}|AXRuntime|UIAccessibility|Accessibility\w{0,30}|UserNotifications|Contacts|EventKit|Vision|NaturalLanguage|LocalAuthentication|AuthenticationServices|SwiftData|Charts|TipKit|Translation|UIKitCore|SwiftUI|SwiftUICore|AttributeGraph|QuartzCore|GraphicsServices|HIToolbox|HIServices|IOKit|CFNetwork|JavaScriptCore|WebKit|WebCore|Network|Security|Combine|Metal|Swift|_Concurrency|_StringProcessing|Observation|XCTest\w{0,20}|FrontBoardServices|BaseBoard|UpdateCycle|ViewBridge|com\.apple\..{1,100}|Core(?:Foundation|Data|Graphics|Text|Animation|Services(?:Internal)?|Media|Audio|Location|Bluetooth|ML|Image|Video|Motion|UI|AutoLayout))$/,
    reason: 'Frameworks of the systems of Apple.',
    examples: ['UIKitCore', 'CoreFoundation', 'Foundation'],
  },
  {
    pattern:
      /^(?:ntdll|kernel32|kernelbase|ucrtbased?|msvcrt|msvcp\d{2,3}\w{0,10}|vcruntime\d{2,3}\w{0,10}|user32|gdi32|win32u|combase|ole32|oleaut32|rpcrt4|ws2_32|mswsock|advapi32|sechost|shell32|comctl32|clr|coreclr|clrjit|mscorlib(?:_ni)?|mscoree|mscorwks|hostpolicy|hostfxr|wow64\w{0,10})(?:\.dll)?$/i,
    reason: 'Libraries of Windows and of its runtimes.',
    examples: ['ntdll', 'KERNEL32.DLL', 'ucrtbase.dll'],
  },
];

/**
 * Namespaces of organizations that publish libraries and frameworks for the JVM and .NET. They are the application of a stack that has no
 * other one, for example in their own tests.
 */
export const LIBRARY_MODULES: readonly ForeignRow[] = [
  {
    pattern:
      /^org\.(?:springframework|hibernate|apache(?!\.jsp\.)|eclipse|jboss|wildfly|glassfish|codehaus|gradle|jetbrains|intellij|slf4j|aspectj|osgi|testng|mybatis|quartz|thymeleaf|freemarker|postgresql|mariadb|h2|hsqldb|sqlite|xerial|mongodb|redisson|bouncycastle|conscrypt|jooq|flywaydb|infinispan|reactivestreams|antlr|objectweb|ehcache|jsoup|dom4j|json|yaml|xnio|greenrobot|koin|scalatest|http4s|mortbay|restlet|primefaces|richfaces|zkoss)\./,
    reason: 'Organizations with a domain in org.',
    examples: ['org.springframework.web.servlet.DispatcherServlet', 'org.apache.catalina.core.StandardWrapper'],
  },
  {
    pattern:
      /^com\.(?:google|fasterxml|zaxxer|mysql|mongodb|ibm|microsoft|squareup|netflix|amazonaws|datastax|typesafe|lightbend|esotericsoftware|lmax|rabbitmq|github\.benmanes|hazelcast|jayway|jcraft|couchbase|vaadin|intellij|facebook|bumptech|airbnb|thoughtworks\.xstream|mchange|atomikos|alibaba\.(?:druid|fastjson|dubbo|nacos)|arjuna|baomidou|twilio|stripe|auth0|nimbusds|opensymphony|codahale|clickhouse|unboundid)\./,
    reason: 'Organizations with a domain in com.',
    examples: ['com.fasterxml.jackson.databind.ObjectMapper', 'com.zaxxer.hikari.pool.HikariPool'],
  },
  {
    pattern:
      /^(?:io\.(?:netty|reactivex|vertx|micronaut|quarkus|undertow|grpc|lettuce|r2dbc|ktor|projectreactor|smallrye|helidon|swagger|springfox|micrometer|prometheus|jsonwebtoken|dropwizard|confluent|debezium|kubernetes|fabric8|minio|realm|mockk|cucumber|github\.resilience4j|jaegertracing|opentracing|openapiprocessor)|ch\.qos|reactor|akka|rx|play|cats|zio|okhttp3|okio|retrofit2?|dagger|feign|cglib|javassist|redis\.clients|nl\.altindag|net\.(?:bytebuddy|sf|sourceforge|logstash|spy|jodah)|de\.(?:flapdoodle|codecentric)|freemarker|liquibase|antlr|coil|leakcanary|jnr|ognl|oracle|weblogic|graphql|oshi|ratpack|spray|slick|anorm|compojure|ring|nrepl|hiccup|reitit)\./,
    reason: 'Other organizations and names of libraries.',
    examples: ['io.netty.channel.nio.NioEventLoop', 'ch.qos.logback.classic.Logger', 'okhttp3.RealCall'],
  },
  {
    pattern:
      /^(?:junit|org\.(?:junit|hamcrest|assertj|opentest4j|specs2|spockframework|robolectric)|worker\.org\.gradle|com\.carrotsearch\.randomizedtesting|jetbrains\.buildServer|munit|sbt|xsbt|mill|utest|weaver|io\.kotest|NUnit|Xunit|MSTest|FluentAssertions|Shouldly|TUnit|BenchmarkDotNet)\./,
    reason: 'What runs tests and builds.',
    examples: ['junit.framework.TestCase', 'org.junit.runners.ParentRunner'],
  },
  {
    pattern:
      /^(?:Microsoft|Newtonsoft|Autofac|Castle|Serilog|NLog|log4net|Dapper|MediatR|AutoMapper|Polly|Npgsql|MySql\.Data|MySqlConnector|MongoDB|StackExchange|RabbitMQ|MassTransit|NServiceBus|NHibernate|Hangfire|Quartz|Swashbuckle|FluentValidation|RestSharp|Refit|Grpc|Google|Amazon|Azure|Confluent|Ninject|Unity\.Interception|Orleans|Akka|ServiceStack|Nancy|Moq|NSubstitute|Xamarin|Java\.Interop|Android|UIKit|Foundation|ObjCRuntime|UnityEngine|UnityEditor|Cysharp|Zenject|VContainer|DevExpress|Telerik|Syncfusion|Prism|ReactiveUI|Avalonia|CefSharp|HotChocolate|IdentityServer4|Duende|OpenQA|Volo\.Abp|Elasticsearch\.Net|Nest|Oracle\.ManagedDataAccess|IBM|Lucene\.Net|SkiaSharp|ImageSharp|SixLabors|EPPlus|OfficeOpenXml|iTextSharp|CsvHelper|LinqToDB|ICSharpCode|K4os|Renci|YamlDotNet)\./,
    reason: 'Libraries and frameworks of .NET.',
    examples: ['Microsoft.AspNetCore.Routing.EndpointMiddleware', 'Newtonsoft.Json.JsonConvert'],
  },
];

const FILES = byFlags(FOREIGN_FILES);
const MODULES = byFlags(FOREIGN_MODULES);
const NEVER = byFlags(NEVER_OWN);
const LIBRARIES = byFlags(LIBRARY_MODULES);

/** Joins rows with the same flags, so that a text is matched twice and not once for each row. */
function byFlags(rows: readonly ForeignRow[]): readonly RegExp[] {
  return ['', 'i'].flatMap((flags) => {
    const sources = rows.filter(({ pattern }) => pattern.flags === flags).map(({ pattern }) => `(?:${pattern.source})`);
    return sources.length === 0 ? [] : [new RegExp(sources.join('|'), flags)];
  });
}

/** Whether a file belongs to the application, by its path as it was written. */
export function isAppFile(path: string): boolean {
  return !FILES.some((pattern) => pattern.test(path));
}

/** A command in a folder of commands, named as users call it: a file with an extension is more often a program. */
const LAUNCHER = /[/\\](?:bin|Scripts)[/\\](?![\w.-]{0,100}(?<!-script)\.(?:pyw?|rb)$)[\w.-]{1,100}$/;

/** Whether a file, outside of its functions, only starts a program of a package. */
export function isLauncher(path: string): boolean {
  return LAUNCHER.test(path);
}

/** Whether a class, module or loaded image belongs to the application, by its name; true for unknown libraries. */
export function isAppModule(module: string): boolean {
  return !MODULES.some((pattern) => pattern.test(module));
}

/** Whose code a frame is, by its namespace. */
interface Standing {
  readonly inApp: boolean;
  /** Whether it is the application's if no other frame is. */
  readonly stepsBack: boolean;
}

const OWN: Standing = { inApp: true, stepsBack: false };
const LIBRARY: Standing = { inApp: false, stepsBack: true };
const FOREIGN: Standing = { inApp: false, stepsBack: false };

/** Returns whose code a class of the JVM or of .NET is; the mark of an SDK outweighs a namespace that the application may have. */
export function standingOf(module: string, isMarkedApp: boolean): Standing {
  if (isMarkedApp && !NEVER.some((pattern) => pattern.test(module))) return OWN;
  if (LIBRARIES.some((pattern) => pattern.test(module))) return LIBRARY;
  return isAppModule(module) ? OWN : FOREIGN;
}
